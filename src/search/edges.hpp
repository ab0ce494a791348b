// SPDX-License-Identifier: MIT
#pragma once

#include "search/evaluator.hpp"

namespace lacuna {

// Method edges where neighbours are alike along all modes, or all but one: first its length, then lambda and what
// counts as an edge. Leaves the best in the contest; nothing where modes are not so.
void choose_edge_field(Contest& contest, const OffsetSpec& alone);

}  // namespace lacuna
