// SPDX-License-Identifier: MIT
// A fit in a sequence of fits that is kept in a checkpoint.
#pragma once

#include <lacuna/method/fit_once.hpp>

namespace lacuna {

// fit_once(), or what it came to in the run that this one goes on with: its steps are then told again, and its model
// is gone (is_gone) unless it is of the last two fits of its sequence. What is made of it must be remembered, too.
[[nodiscard]] FitResult fit_remembered(const ObservedTensor& tensor, const Settings& settings,
                                       const FitCallbacks& callbacks, const Entries* test);

}  // namespace lacuna
