// SPDX-License-Identifier: MIT
// The parts of a latent model, their lambdas and its offsets: fiber statistics say which parts could say
// anything, held-out entries decide among them.
#pragma once

#include "search/evaluator.hpp"

namespace lacuna {

// Leaves the best structure in the contest. `alone` are the offsets that pay by themselves.
void choose_structure(Contest& contest, const OffsetSpec& alone);

// Whether a part could say anything of missing cells: enough entries share its fibers, which are not complete. The
// sharers have some of the entries each.
[[nodiscard]] bool says_something(const ObservedTensor& kept, const PartSpec& part,
                                  const Communicator& sharers);

// Down or up in steps of this factor while it helps.
void choose_lambda(Contest& contest, double step);

}  // namespace lacuna
