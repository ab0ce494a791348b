// SPDX-License-Identifier: MIT
// The number of each entry's fiber without a FiberView, for whoever needs nothing else of it.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <vector>

#include "tensor/fiber_view.hpp"

namespace lacuna {

struct FiberNumbers {
  std::vector<Index> of_entry;
  Count fibers = 0;
};

// As FiberView numbers the fibers: those of two entries, of three, ... up to kShort, the long ones, the
// single ones; within each by where their first entry lies. O(entries) where the modes tell apart few fibers,
// else a FiberView is made.
[[nodiscard]] FiberNumbers fiber_numbers(const ObservedTensor& tensor, const PartSpec& part);

}  // namespace lacuna
