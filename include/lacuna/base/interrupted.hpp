// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

namespace lacuna {

// Polled inside long steps: true means stop now and keep the best point so far.
using Interrupted = std::function<bool()>;

}  // namespace lacuna
