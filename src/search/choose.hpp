// SPDX-License-Identifier: MIT
// From settings that leave something open to settings that do not.
#pragma once

#include <optional>

#include "search/evaluator.hpp"

namespace lacuna {

// Whether there is anything to choose by held-out error for a method that is given, or the method itself.
[[nodiscard]] bool leaves_a_choice(const Settings& settings);

// Whether the method takes every setting that is given.
[[nodiscard]] bool takes_everything_given(Method method, const Settings& settings);

// Whether more than one fit is to be done with these settings: something is chosen, or steps are counted, on held-out
// entries, or ranks grow to a certified gap. (fit.cpp)
[[nodiscard]] bool leaves_several_fits(const Settings& settings);
// Whether what is done beside it asks for all entries on one process: residuals are ranked, entries are set aside for
// intervals, negatives are drawn. (fit.cpp)
[[nodiscard]] bool needs_all_entries(const Settings& settings);

// The floors first (the mean, main effects), then each method that takes what is given; the best of all is
// evaluator.best(). Interrupted, that is the best so far, at the least a floor.
void choose(Evaluator& evaluator);

}  // namespace lacuna
