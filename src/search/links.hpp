// SPDX-License-Identifier: MIT
// Method complex among the others: its penalty and rank on held-out entries.
#pragma once

#include "search/evaluator.hpp"

namespace lacuna {

// Values are 0 or 1 and no offset is asked for, which complex has none of.
[[nodiscard]] bool could_be_links(const Evaluator& evaluator);

// The default first; other penalties and ranks where one trial is cheap. False where it is not, or nothing came of it.
bool choose_complex(Evaluator& evaluator);

}  // namespace lacuna
