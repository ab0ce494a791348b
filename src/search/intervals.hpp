// SPDX-License-Identifier: MIT
// Entries set aside for intervals before anything is chosen, and what a fit without them misses on them.
#pragma once

#include <functional>
#include <optional>

#include "search/evaluator.hpp"

namespace lacuna {

// Entries that no choice may see; nothing unless the settings ask for intervals. Throws std::invalid_argument
// when there are too few entries to set any aside.
[[nodiscard]] std::optional<HoldOut> reserve_for_intervals(const ObservedTensor& tensor,
                                                           const Settings& asked);

// Residuals on the reserved entries of models fitted without them: without all of them at once, or, where they are
// many for so few entries, without the share that is wanted at a time. `journal`, if not null, remembers them.
[[nodiscard]] Calibration calibrate_on(const ObservedTensor& tensor, const HoldOut& reserved, double wanted,
                                       Journal* journal,
                                       const std::function<Model(const ObservedTensor&)>& fit_on);

}  // namespace lacuna
