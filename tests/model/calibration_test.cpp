// SPDX-License-Identifier: MIT
// Intervals from held-out residuals.
#include <gtest/gtest.h>

#include <cmath>
#include <lacuna/model/model.hpp>

#include "base/rng.hpp"

namespace lacuna {
namespace {

TEST(Calibration, TakesTheOrderStatisticThatConformalPredictionAsksFor) {
  const std::vector<double> residuals = {4.0, 1.0, 3.0, 2.0, 5.0, 7.0, 6.0, 9.0, 8.0};
  const Calibration found = calibrate(residuals, std::vector<Count>(9, 3));
  ASSERT_EQ(found.groups.size(), 1U);
  EXPECT_EQ(found.half_width(0, 0.5), 5.0);  // ceil(0.5 * 10)
  EXPECT_EQ(found.half_width(100, 0.9), 9.0);
  EXPECT_TRUE(std::isinf(found.half_width(3, 0.95)));  // nine residuals cannot say
}

TEST(Calibration, GroupsByHowWellACellIsSupported) {
  Rng rng(700);
  std::vector<double> residuals;
  std::vector<Count> support;
  const auto noise = [](Count entries) { return 1.0 / std::sqrt(1.0 + static_cast<double>(entries)); };
  for (int i = 0; i < 20000; ++i) {
    support.push_back(static_cast<Count>(rng.below(40)));
    residuals.push_back(std::abs(noise(support.back()) * rng.normal()));
  }
  const Calibration found = calibrate(residuals, support);
  EXPECT_GT(found.groups.size(), 5U);
  EXPECT_EQ(found.groups.front().support_from, 0);
  EXPECT_GT(found.half_width(0, 0.9), 2.0 * found.half_width(39, 0.9));
  int held = 0;
  constexpr int kFresh = 20000;
  for (int i = 0; i < kFresh; ++i) {
    const auto cell = static_cast<Count>(rng.below(40));
    held += std::abs(noise(cell) * rng.normal()) <= found.half_width(cell, 0.9) ? 1 : 0;
  }
  EXPECT_NEAR(held / static_cast<double>(kFresh), 0.9, 0.01);
}

TEST(Calibration, EqualSupportIsNeverCutInTwo) {
  std::vector<Count> support(3000, 1);
  support.resize(6000, 2);
  const Calibration found = calibrate(std::vector<double>(6000, 0.5), support);
  ASSERT_EQ(found.groups.size(), 2U);
  EXPECT_EQ(found.groups[1].support_from, 2);
}

TEST(Calibration, RefusesWhatItCannotAnswer) {
  EXPECT_THROW((void)Calibration{}.half_width(1, 0.9), std::invalid_argument);
  const Calibration found = calibrate(std::vector<double>{1.0}, std::vector<Count>{1});
  EXPECT_THROW((void)found.half_width(1, 1.0), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
