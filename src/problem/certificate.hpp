// SPDX-License-Identifier: MIT
// Computes certificates: <lacuna/problem/certificate.hpp> says what they are.
#pragma once

#include <lacuna/problem/certificate.hpp>
#include <vector>

#include "problem/problem_data.hpp"

namespace lacuna {

inline constexpr double kSingularAccuracy = 1e-8;  // relative, of a squared singular value

// `misfit` is (sum_e weight_e (Y - W)_e^2)^1/2. O(N) for each of a few dozen Lanczos steps in every part.
// The bounds hold at any accuracy of the singular values; the lower one is lower by the relative error.
template <class Real>
[[nodiscard]] Certificate certify(const ProblemData<Real>& data, const std::vector<Matrix<Real>>& u,
                                  std::span<const Real> z, double misfit,
                                  double accuracy = kSingularAccuracy);

// The largest singular values of Z_p, squared and descending, and their left vectors as columns. The values
// are found to the accuracy and rounded up by it, so that they are not below the true ones.
struct TopSingular {
  Eigen::VectorXd squared;
  Eigen::MatrixXd vectors;
};
template <class Real>
[[nodiscard]] TopSingular top_singular(const ProblemData<Real>& data, std::size_t part,
                                       std::span<const Real> z, int count,
                                       double accuracy = kSingularAccuracy);

}  // namespace lacuna
