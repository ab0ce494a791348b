// SPDX-License-Identifier: MIT
#pragma once

namespace lacuna {

inline constexpr int kLargestGrownRank = 50;  // that a rank left open may grow to
inline constexpr int kBayesCpStartRank = 30;  // of which bayescp keeps what the data supports

}  // namespace lacuna
