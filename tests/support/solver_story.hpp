// SPDX-License-Identifier: MIT
// What a solver reported step by step, and what must hold of any such story.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "solver/solver.hpp"

namespace lacuna::test {

using Story = std::vector<IterationRecord>;

// An observer that writes the story down and never stops.
[[nodiscard]] inline auto write_to(Story& story) {
  return [&story](const IterationRecord& record, const auto&, const auto&) {
    story.push_back(record);
    return Flow::kContinue;
  };
}

// Iterations count up from 0, rejected steps leave the objective alone, accepted ones do not raise it (beyond
// the slack the trust region allows itself for rounding).
inline void check_story(const Story& story, const Summary& summary) {
  constexpr double kSlack = 1e-12;
  ASSERT_FALSE(story.empty());
  for (std::size_t i = 0; i < story.size(); ++i) {
    EXPECT_EQ(story[i].iteration, static_cast<int>(i));
    EXPECT_TRUE(std::isfinite(story[i].objective));
    if (i == 0) continue;
    const double before = story[i - 1].objective;
    const double allowed = story[i].accepted ? kSlack * std::abs(before) : 0.0;
    EXPECT_LE(story[i].objective, before + allowed) << "at step " << i;
    if (!story[i].accepted) {
      EXPECT_EQ(story[i].objective, before) << "at step " << i;
    }
  }
  EXPECT_EQ(summary.iterations, story.back().iteration);
  EXPECT_EQ(summary.objective, story.back().objective);
  EXPECT_EQ(summary.gradient_norm, story.back().gradient_norm);
}

// Near a solution the quadratic model predicts the decrease: the ratios of the last steps that still
// decreased the objective by more than rounding are 1. A ratio that lacks the quadratic term would tend to
// 1/2.
inline void check_last_ratios(const Story& story, std::size_t steps = 2) {
  constexpr double kVisible = 1e-10;  // a thousand times what the ratio's slack can move
  constexpr double kNearOne = 0.05;
  double largest = 0.0;
  for (const IterationRecord& record : story) largest = std::max(largest, std::abs(record.objective));
  std::vector<double> ratios;
  for (std::size_t i = 1; i < story.size(); ++i)
    if (story[i].accepted && story[i - 1].objective - story[i].objective > kVisible * largest)
      ratios.push_back(story[i].ratio);
  ASSERT_GE(ratios.size(), steps);
  for (std::size_t i = ratios.size() - steps; i < ratios.size(); ++i) EXPECT_NEAR(ratios[i], 1.0, kNearOne);
}

}  // namespace lacuna::test
