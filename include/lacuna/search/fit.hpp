// SPDX-License-Identifier: MIT
// From data to a model: chooses on held-out entries whatever the settings leave open, then fits on everything.
#pragma once

#include <lacuna/method/fit_once.hpp>

namespace lacuna {

// Throws std::invalid_argument when the settings do not fit the tensor. Any value given is kept. The result
// is never worse on the held-out entries than the mean and the main effects, which are judged beside it; when
// interrupted, it is the best that was found until then.
[[nodiscard]] FitResult fit(ObservedTensor tensor, const Settings& settings = {},
                            const FitCallbacks& callbacks = {}, const Entries* test = nullptr);

}  // namespace lacuna
