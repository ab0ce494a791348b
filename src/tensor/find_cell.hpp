// SPDX-License-Identifier: MIT
// Where a cell is among the entries of a tensor.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <numeric>
#include <span>

namespace lacuna {

// Entries are in lexicographic order: O(log N).
[[nodiscard]] inline bool contains(const ObservedTensor& tensor, std::span<const Index> cell) {
  const auto before = [&](Count e) {
    for (int k = 0; k < tensor.order(); ++k)
      if (tensor.index(k)[e] != cell[k]) return tensor.index(k)[e] < cell[k];
    return false;
  };
  Count low = 0;
  Count high = tensor.size();
  while (low < high) {
    const Count middle = std::midpoint(low, high);
    if (before(middle))
      low = middle + 1;
    else
      high = middle;
  }
  if (low == tensor.size()) return false;
  for (int k = 0; k < tensor.order(); ++k)
    if (tensor.index(k)[low] != cell[k]) return false;
  return true;
}

}  // namespace lacuna
