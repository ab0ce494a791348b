// SPDX-License-Identifier: MIT
// Where the indices of a mode lie along it: who comes before whom, and how far apart neighbours are.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <vector>

namespace lacuna {

// place[i]: how many of the mode's positions lie before that of index i. Empty for a mode without positions,
// or one whose positions ascend: its indices are the places.
[[nodiscard]] std::vector<Index> places(const Mode& mode);

// The distance of neighbours, ascending positions given, when all lie within a thousandth of it from where
// they would lie if all distances were equal; else 0. 1 for fewer than two.
[[nodiscard]] double regular_spacing(const std::vector<double>& ascending);

// As of a mode; 1 where it has no positions.
[[nodiscard]] double regular_spacing(const Mode& mode);

// The median distance of neighbours; 1 where there are no positions, or only one.
[[nodiscard]] double typical_spacing(const Mode& mode);

// From the first position to the last.
[[nodiscard]] double extent(const Mode& mode);

}  // namespace lacuna
