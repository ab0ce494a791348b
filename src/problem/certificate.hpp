// SPDX-License-Identifier: MIT
// Computes certificates.
//
// D without its rank limit is a convex problem (docs/math.md). Any Z gives a lower bound on its optimum and
// any (u, Z) an upper one:
//
//   low(Z)    = max_t t <Z,Y> - t^2 (1/4 ||Z||^2 + sum_p lambda_p/2 sigma_p^2)
//             = <Z,Y>^2 / (||Z||^2 + 2 sum_p lambda_p sigma_p^2),       sigma_p = sigma_max(Z_p)
//   up(u, Z)  = ||Y - W_Omega||^2 + sum_p lambda_p/2 ||U_p' Z_p||_F^2,  W = sum_p lambda_p Z x_p U_p U_p'
//
// up is the primal value at W, never below the optimum whether Z is exact or not. Where a part's sigma_p^2 is
// above ||U_p' Z_p||_F^2 its rank is too small: the top singular vector is a direction of descent outside the
// columns of U_p.
// Z = 0, where a fit was stopped before its first solve or all values are 0, has low = 0.
// Entry weights divide ||Z||^2 and multiply the misfit; a weighted norm's D and B go into Z_p.
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
