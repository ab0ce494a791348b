// SPDX-License-Identifier: MIT
// Starting points of the factors.
#pragma once

#include "base/rng.hpp"
#include "problem/problem_data.hpp"

namespace lacuna {

// Gaussian factors, normalised.
template <class Real>
[[nodiscard]] std::vector<Matrix<Real>> random_start(const ProblemData<Real>& data,
                                                     const std::vector<int>& ranks, Rng& rng);

struct SingularVectors {
  Eigen::MatrixXd left;   // in columns, orthonormal
  Eigen::VectorXd value;  // their singular values, descending
};

// A constant that is added to every cell of an unfolding with this many columns.
struct FilledIn {
  double value = 0.0;
  double columns = 0.0;
};

// The top left singular vectors of a part's observed unfolding Y_p, of values y and 0 elsewhere, plus a
// constant, by subspace iteration: O(N count) for each of a handful of sweeps. `count` is at most the number
// of rows.
template <class Real>
[[nodiscard]] SingularVectors leading_vectors(const PartSet& parts, std::size_t which,
                                              std::span<const Real> y, int count, Rng& rng,
                                              const FilledIn& filled = {});

// The top left singular vectors q_j of each part's observed unfolding Y_p, as
// Theta ~ sum_j sigma_j q_j q_j', which is the optimal Theta if Y_p itself is the latent part (the paper's
// remark under its equation (4)).
template <class Real>
[[nodiscard]] std::vector<Matrix<Real>> spectral_start(const ProblemData<Real>& data,
                                                       const std::vector<int>& ranks, Rng& rng);

}  // namespace lacuna
