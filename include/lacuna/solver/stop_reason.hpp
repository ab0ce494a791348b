// SPDX-License-Identifier: MIT
// Why a solver stopped.
#pragma once

#include <string_view>

namespace lacuna {

enum class StopReason {
  kGradientTolerance,
  kNoFurtherDecrease,
  kMaxIterations,
  kStopped,
  kDirect,
  kSmallChange,
  kSmallGap,
  kWithinAccuracy,
};

// Solved, as opposed to given up or interrupted.
[[nodiscard]] constexpr bool converged(StopReason reason) {
  return reason == StopReason::kGradientTolerance || reason == StopReason::kNoFurtherDecrease ||
         reason == StopReason::kDirect || reason == StopReason::kSmallChange ||
         reason == StopReason::kSmallGap || reason == StopReason::kWithinAccuracy;
}

[[nodiscard]] constexpr std::string_view describe(StopReason reason) {
  switch (reason) {
    case StopReason::kGradientTolerance:
      return "gradient below tolerance";
    case StopReason::kNoFurtherDecrease:
      return "no step decreases the objective any more";
    case StopReason::kMaxIterations:
      return "iteration limit reached";
    case StopReason::kStopped:
      return "stopped on request";
    case StopReason::kDirect:
      return "solved without steps";
    case StopReason::kSmallChange:
      return "change below tolerance";
    case StopReason::kSmallGap:
      return "gap to the optimum below tolerance";
    case StopReason::kWithinAccuracy:
      return "steps gain no more than the inner solves resolve";
  }
  return "";
}

enum class Flow { kContinue, kStop };

}  // namespace lacuna
