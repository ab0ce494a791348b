// SPDX-License-Identifier: MIT
// Setting some of the observed entries aside, to judge settings by.
#pragma once

#include <functional>
#include <lacuna/tensor/observed_tensor.hpp>
#include <optional>

namespace lacuna {

struct HoldOut {
  ObservedTensor kept;
  Entries held;
};

// held_out(e) is asked once for each entry, in order.
[[nodiscard]] HoldOut hold_out(const ObservedTensor& tensor, const std::function<bool(Count)>& held_out);

// Each entry is held out with probability `share`. Nothing when either side would be empty.
[[nodiscard]] std::optional<HoldOut> hold_out(const ObservedTensor& tensor, double share, std::uint64_t seed);

}  // namespace lacuna
