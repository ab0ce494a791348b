// SPDX-License-Identifier: MIT
// Near parts along the modes that are ordered.
#pragma once

#include "search/evaluator.hpp"
#include "search/ordered.hpp"

namespace lacuna {

// Whether a grid of several near modes may have this one: irregular positions cost a transform their number for
// each cell.
[[nodiscard]] bool suits_a_grid(const Mode& mode);

// Near parts over the ordered modes: first what is learned, then smoothness, lengths and lambda, then ranks,
// and lengths and lambda again, more finely. Leaves the best in the contest; nothing when no mode is ordered.
void choose_near(Contest& contest, const OffsetSpec& alone);

}  // namespace lacuna
