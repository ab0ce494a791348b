// SPDX-License-Identifier: MIT
// Side information: which entries to hold out so that its worth is seen, and whether to use it.
#pragma once

#include "base/rng.hpp"
#include "search/evaluator.hpp"

namespace lacuna {

// Marks all entries of some positions of the modes that have side information, where positions without entries
// say that such will be asked about: as large a share of all that is held out as they are of the mode, and no
// less than a tenth, no more than half. `share` of the entries is what is held out besides.
void hold_out_cold_positions(const ObservedTensor& tensor, double share, Rng& rng,
                             const Communicator& sharers, std::vector<bool>& held);

// Takes the best so far and gives its parts side information where they learn a mode that has any; keeps it where
// the held-out error is lower, and says what became of it.
void choose_side(Evaluator& evaluator);

}  // namespace lacuna
