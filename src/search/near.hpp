// SPDX-License-Identifier: MIT
// Modes whose neighbours are alike, and the near parts that use it.
#pragma once

#include "search/evaluator.hpp"

namespace lacuna {

// How much entries next to each other by position along a mode differ, all else equal.
struct NeighbourDifference {
  double squared = 0.0;  // mean squared difference
  double of_strangers =
      0.0;  // in units of that of any two entries of a fiber. 1: no more alike than strangers
};
// Nothing when there are too few such pairs to tell.
[[nodiscard]] std::optional<NeighbourDifference> neighbour_difference(const ObservedTensor& tensor, int mode);

// A mode along which neighbours are alike.
struct OrderedMode {
  int mode = 0;
  double squared = 0.0;  // mean squared difference of neighbours
};
// Ascending by mode.
[[nodiscard]] std::vector<OrderedMode> ordered_modes(const ObservedTensor& tensor);

// Whether a grid of several near modes may have this one: irregular positions cost a transform their number for
// each cell.
[[nodiscard]] bool suits_a_grid(const Mode& mode);

// Near parts over the ordered modes: first what is learned, then smoothness, lengths and lambda, then ranks,
// and lengths and lambda again, more finely. Leaves the best in the contest; nothing when no mode is ordered.
void choose_near(Contest& contest, const OffsetSpec& alone);

}  // namespace lacuna
