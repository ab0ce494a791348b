// SPDX-License-Identifier: MIT
// How many fibers each mode has: sets of observed cells that differ in that mode alone.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <vector>

namespace lacuna {

struct FiberCount {
  Count fibers = 0;
  Count singles = 0;  // fibers of one entry
};

// For each mode. O(K N) for K modes and N entries, where a FiberView of every mode takes O(K^2 N).
[[nodiscard]] std::vector<FiberCount> count_fibers(const ObservedTensor& tensor);

}  // namespace lacuna
