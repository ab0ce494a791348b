// SPDX-License-Identifier: MIT
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <span>
#include <vector>

namespace lacuna {

// How many cells a tensor of these modes has, or those of them that are named. As a double: the product need
// not fit any whole number.
[[nodiscard]] inline double count_cells(const std::vector<Mode>& modes) {
  double cells = 1.0;
  for (const Mode& mode : modes) cells *= mode.size;
  return cells;
}
[[nodiscard]] inline double count_cells(const std::vector<Mode>& modes, std::span<const int> of) {
  double cells = 1.0;
  for (const int k : of) cells *= modes[k].size;
  return cells;
}

}  // namespace lacuna
