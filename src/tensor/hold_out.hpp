// SPDX-License-Identifier: MIT
// Setting some of the observed entries aside, to judge settings by.
#pragma once

#include <cmath>
#include <functional>
#include <lacuna/tensor/tensor.hpp>
#include <optional>

namespace lacuna {

inline constexpr double kHeldOutShare = 0.1;  // of the entries, wherever settings are judged

// The largest error on `held` entries that is as good as the lowest one seen: what differs by less than half
// its standard error says nothing.
[[nodiscard]] inline double as_good_as(double lowest, Count held) {
  return lowest * (1.0 + 0.5 / std::sqrt(2.0 * static_cast<double>(held)));
}

struct HoldOut {
  ObservedTensor kept;
  Entries held;
};

// held_out(e) is asked once for each entry, in order. Either side may be empty.
[[nodiscard]] HoldOut hold_out(const ObservedTensor& tensor, const std::function<bool(Count)>& held_out);

}  // namespace lacuna
