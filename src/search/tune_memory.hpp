// SPDX-License-Identifier: MIT
// What fits of cross-validation need, and how many of them memory holds beside each other.
#pragma once

#include <lacuna/search/fit.hpp>
#include <vector>

namespace lacuna {

// Of the most demanding candidate, in bytes. An open method counts as tr-mm, which asks for as much as most.
[[nodiscard]] double largest_fit(Count entries, const std::vector<Mode>& modes,
                                 const std::vector<TuneCandidate>& candidates);

// As many fits of so many bytes as there are threads, folds and memory for; at least one.
[[nodiscard]] int fits_side_by_side(double bytes, int folds);

}  // namespace lacuna
