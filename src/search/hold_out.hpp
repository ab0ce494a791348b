// SPDX-License-Identifier: MIT
// Setting some of the observed entries aside, to judge settings by.
#pragma once

#include <cmath>
#include <functional>
#include <lacuna/tensor/observed_tensor.hpp>
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

// held_out(e) is asked once for each entry, in order.
[[nodiscard]] HoldOut hold_out(const ObservedTensor& tensor, const std::function<bool(Count)>& held_out);

// Whether every observed fiber along the mode has all of its cells observed.
[[nodiscard]] bool fibers_are_complete(const ObservedTensor& tensor, int mode);

// Which entries go together, one number for each entry, from 0. Where whole fibers along some modes are
// observed or missing together (all channels of a pixel, all hours of a day), single entries would be
// predicted from the rest of their fiber, which the missing ones cannot be: such fibers are held out whole.
// Else every entry is alone.
struct HoldOutUnits {
  std::vector<Index> of_entry;
  Index count = 0;
};
[[nodiscard]] HoldOutUnits hold_out_units(const ObservedTensor& tensor);

// Each unit is held out with probability `share`. Nothing when either side would be empty.
[[nodiscard]] std::optional<HoldOut> hold_out(const ObservedTensor& tensor, double share, std::uint64_t seed);

}  // namespace lacuna
