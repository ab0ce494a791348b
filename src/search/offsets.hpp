// SPDX-License-Identifier: MIT
// Which offsets pay by themselves. They need no fit, so all are tried.
#pragma once

#include "search/evaluator.hpp"

namespace lacuna {

// The mean, and effects of modes and pairs of modes added one by one while they lower the held-out error.
[[nodiscard]] OffsetSpec offsets_alone(const Evaluator& evaluator);

}  // namespace lacuna
