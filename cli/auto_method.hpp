// SPDX-License-Identifier: MIT
// --method auto: every method that can take the data, and the best of them by cross-validation.
#pragma once

#include <lacuna/search/tune.hpp>
#include <string>
#include <vector>

#include "fit_flags.hpp"

namespace lacuna::cli {

// The flags for this method: what it does not take goes back to its default.
[[nodiscard]] FitFlags flags_for(FitFlags flags, const std::string& method);

// The methods that take tensors of this order and whose fit fits in memory.
[[nodiscard]] std::vector<std::string> methods_for(const ObservedTensor& tensor, const FitFlags& flags);

// What the largest of the candidates' fits needs, and how many fits of that size may run at a time.
[[nodiscard]] double largest_fit(const ObservedTensor& tensor, const std::vector<TuneCandidate>& candidates);
[[nodiscard]] int fits_side_by_side(double bytes, int folds);

// Settings of the best of methods_for(), each with what it chooses for itself or a few ranks or lambdas.
Result<FitOptions> best_method(const ObservedTensor& tensor, const FitFlags& flags, const Output& output);

}  // namespace lacuna::cli
