// SPDX-License-Identifier: MIT
// Entries set aside for intervals before anything is chosen, and what a fit without them misses on them.
#pragma once

#include <functional>
#include <optional>

#include "search/evaluator.hpp"

namespace lacuna {

// All of these are called by all processes that share the entries, `sharers`, each with those that it has. What is reserved
// is on all of them, and so is what is found of it.

// Entries that no choice may see; nothing unless the settings ask for intervals. Throws std::invalid_argument
// when there are too few entries to set any aside.
[[nodiscard]] std::optional<HoldOut> reserve_for_intervals(const ObservedTensor& tensor,
                                                           const Settings& asked,
                                                           const Communicator& sharers);

// How many fits calibrate(): one without all reserved entries at once, or, where they are many for so few entries, as many
// as it takes to leave out the share that is wanted at a time.
[[nodiscard]] int calibration_turns(const ObservedTensor& tensor, const HoldOut& reserved, double wanted,
                                    const Communicator& sharers);

// Residuals on the reserved entries of models fitted without them, in so many turns. `journal`, if not null, remembers
// them.
[[nodiscard]] Calibration calibrate_on(const ObservedTensor& tensor, const HoldOut& reserved, int turns,
                                       const Communicator& sharers, Journal* journal,
                                       const std::function<Model(const ObservedTensor&)>& fit_on);

// The same by a model that has seen none of them, for itself.
[[nodiscard]] Calibration calibrate_by(const Model& model, const HoldOut& reserved,
                                       const Communicator& sharers);

}  // namespace lacuna
