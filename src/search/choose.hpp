// SPDX-License-Identifier: MIT
// From settings that leave something open to settings that do not.
#pragma once

#include <optional>

#include "search/evaluator.hpp"

namespace lacuna {

// Whether there is anything to choose by held-out error for a method that is given, or the method itself.
[[nodiscard]] bool leaves_a_choice(const Settings& settings);

// Whether more than one fit with these settings is to be done: something is chosen, counted, weighted, drawn or
// calibrated on the way, or there is a model to start from. (fit.cpp)
[[nodiscard]] bool leaves_work(const Settings& settings);

// The floors first (the mean, main effects), then each method that takes what is given; the best of all is
// evaluator.best(). Interrupted, that is the best so far, at the least a floor.
void choose(Evaluator& evaluator);

}  // namespace lacuna
