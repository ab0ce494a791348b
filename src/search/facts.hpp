// SPDX-License-Identifier: MIT
// Data that are nothing but facts: what is held out of them is ranked, and methods that learn from values get cells
// of value 0 drawn beside them.
#pragma once

#include <lacuna/method/settings.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <optional>

#include "evaluate/held_facts.hpp"
#include "tensor/hold_out.hpp"

namespace lacuna {

// Whether the settings say that entries are facts, and all of them are 1. Those to whom values are what counts, the
// Huber loss and intervals, get their negatives beforehand.
[[nodiscard]] bool are_facts(const ObservedTensor& tensor, const Settings& settings);

// Methods that learn from facts alone.
[[nodiscard]] bool learns_from_facts(Method method);

// The entries with negatives, as many and along the modes that the settings say; as they are where those are 0.
[[nodiscard]] ObservedTensor with_drawn(const ObservedTensor& tensor, const Settings& settings);

// A split of facts.
struct FactSplit {
  ObservedTensor facts;  // kept
  Entries held;          // likewise nothing but facts
  HeldFacts ranking;     // of these
  HoldOut cells;         // the same, each with cells of value 0, none of which is in both
};

// Nothing when either side would be empty. At most `share` of the facts are held out, and no more than can be ranked.
[[nodiscard]] std::optional<FactSplit> split_facts(const ObservedTensor& tensor, const Settings& settings,
                                                   double share, std::uint64_t seed);

}  // namespace lacuna
