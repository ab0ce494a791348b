// SPDX-License-Identifier: MIT
// What parts that are given leave to the search: `row~auto`, `smooth=auto`.
#pragma once

#include "search/evaluator.hpp"

namespace lacuna {

// Lengths and smoothness that the parts asked for leave open, in the contest's parts, which are the same ones.
// Nothing where none is open.
void choose_open_lengths(Contest& contest);

}  // namespace lacuna
