// SPDX-License-Identifier: MIT
// The penalty of method complex where none is given: what the method takes, and where a search begins.
#pragma once

namespace lacuna {

// Found on the validation part of FB15k-237 and on held-out entries of the common splits.
[[nodiscard]] constexpr double default_penalty(bool softmax) { return softmax ? 0.02 : 0.005; }

}  // namespace lacuna
