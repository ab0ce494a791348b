// SPDX-License-Identifier: MIT
// A stable parallel radix sort of cells, least significant digit first.
#pragma once

#include <lacuna/tensor/cells.hpp>
#include <span>
#include <vector>

namespace lacuna {

// The numbers of the cells ordered by cells[modes[0]], then cells[modes[1]], ...; equal ones keep their order.
// Radix sort: O(size) for each 11 bits of a mode's index, no product of extents, so nothing can overflow.
[[nodiscard]] std::vector<Index> lexicographic_order(const Cells& cells, std::span<const int> modes);

}  // namespace lacuna
