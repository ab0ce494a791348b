// SPDX-License-Identifier: MIT
// Ranks and starting points of the Tucker methods.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <vector>

#include "linalg/tucker.hpp"
#include "method/fit_run.hpp"

namespace lacuna {

// One rank for each mode, at most the mode's size. A tensor of full multilinear rank has none that is larger
// than the product of the others; `full` caps them there, too.
[[nodiscard]] std::vector<int> tucker_ranks(const ObservedTensor& tensor, const Settings& options, bool full,
                                            const FitRun& run);

// Orthonormal factors, random or the leading left singular vectors of the unfoldings of the observed entries,
// 0 elsewhere; rows of positions that were never observed are 0. The core is the observed tensor seen through
// them, Y x_k U_k', scaled to fit it best.
[[nodiscard]] Tucker random_tucker_start(const ObservedTensor& tensor, const std::vector<int>& ranks,
                                         const Communicator& everyone, Rng& rng);
[[nodiscard]] Tucker spectral_tucker_start(const ObservedTensor& tensor, const std::vector<int>& ranks,
                                           const Communicator& everyone, Rng& rng);

// The same tensor with room for more: factors gain the leading left singular vectors of the residual's
// unfoldings, the core gains zeros. Factors must be orthonormal, ranks not smaller than they are.
[[nodiscard]] Tucker grown(const Tucker& x, const ObservedTensor& tensor, const std::vector<double>& residual,
                           const std::vector<int>& ranks, const Communicator& everyone, Rng& rng);

}  // namespace lacuna
