// SPDX-License-Identifier: MIT
// A stable parallel radix sort of cells, least significant digit first.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <span>
#include <utility>
#include <vector>

namespace lacuna {

// The numbers of the cells ordered by cells[modes[0]], then cells[modes[1]], ...; equal ones keep their
// order. Radix sort: O(size) for each 11 bits of a mode's index, no product of extents, so nothing can
// overflow. Cells that lie in order already are only looked at, and a few that follow them are put among
// them.
[[nodiscard]] std::vector<Index> lexicographic_order(const Cells& cells, std::span<const int> modes);

// Of cells that lie in that order the first that equals cell j of b along these modes, and the one behind the
// last.
[[nodiscard]] std::pair<Count, Count> equal_cells(const Cells& cells, const Cells& b, Count j,
                                                  std::span<const int> modes);

}  // namespace lacuna
