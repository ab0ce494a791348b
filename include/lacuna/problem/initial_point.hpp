// SPDX-License-Identifier: MIT
// Where a fit starts.
#pragma once

#include <lacuna/base/rng.hpp>
#include <lacuna/problem/problem_data.hpp>

namespace lacuna {

// Gaussian factors, normalised.
template <class Real>
[[nodiscard]] std::vector<Matrix<Real>> random_start(const ProblemData<Real>& data,
                                                     const std::vector<int>& ranks, Rng& rng);

// The top left singular vectors q_j of each part's observed unfolding Y_p, by subspace iteration, as
// Theta ~ sum_j sigma_j q_j q_j': what the optimal Theta would be were Y_p itself the latent part (the
// paper's remark under its equation (4)). O(N r) for each of a handful of sweeps.
template <class Real>
[[nodiscard]] std::vector<Matrix<Real>> spectral_start(const ProblemData<Real>& data,
                                                       const std::vector<int>& ranks, Rng& rng);

}  // namespace lacuna
