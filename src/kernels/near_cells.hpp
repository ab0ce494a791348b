// SPDX-License-Identifier: MIT
// How the field of a part with near modes is read at a list of cells: a weighted sum of a few slots for each.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <vector>

namespace lacuna {

struct NearCells {
  // Cells of groups that hold an entry; the others get nothing from the part.
  std::vector<Index> cell;
  std::vector<Index> row;
  std::vector<Count> start{0};  // cell i reads slots start[i] .. start[i + 1]
  std::vector<Count> slot;
  std::vector<double> weight;
};

}  // namespace lacuna
