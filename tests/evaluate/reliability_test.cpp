// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <lacuna/evaluate/evaluate.hpp>
#include <stdexcept>

#include "base/rng.hpp"

namespace lacuna {
namespace {

TEST(Reliability, BinsHaveTheMeansOfTheirCells) {
  const std::vector<double> truth{0.0, 1.0, 1.0, 0.0, 1.0};
  const std::vector<double> predicted{0.1, 0.3, 0.5, 0.6, 1.0};
  const auto table = reliability(truth, predicted, 2);
  ASSERT_EQ(table.size(), 2U);
  EXPECT_EQ(table[0].cells, 2);  // a bin has its lower bound, not its upper one
  EXPECT_DOUBLE_EQ(table[0].predicted, 0.2);
  EXPECT_DOUBLE_EQ(table[0].observed, 0.5);
  EXPECT_EQ(table[1].cells, 3);
  EXPECT_DOUBLE_EQ(table[1].predicted, 0.7);
  EXPECT_DOUBLE_EQ(table[1].observed, 2.0 / 3.0);
  EXPECT_NEAR(calibration_error(table), (2.0 * 0.3 + 3.0 * (0.7 - 2.0 / 3.0)) / 5.0, 1e-15);
}

TEST(Reliability, OfProbabilitiesThatAreTrueTheErrorVanishes) {
  Rng rng(3);
  std::vector<double> truth;
  std::vector<double> predicted;
  std::vector<double> sure;
  for (int i = 0; i < 40'000; ++i) {
    predicted.push_back(rng.uniform());
    truth.push_back(rng.uniform() < predicted.back() ? 1.0 : 0.0);
    sure.push_back(predicted.back() > 0.5 ? 1.0 : 0.0);
  }
  // The share of one bin of 4000 cells has a standard deviation of at most 0.008.
  EXPECT_LT(calibration_error(reliability(truth, predicted)), 0.015);
  EXPECT_NEAR(calibration_error(reliability(truth, sure)), 0.25, 0.015);
}

TEST(Reliability, WhatIsNoProbabilityCountsAsTheNearestOne) {
  const auto table = reliability(std::vector<double>{0.0, 1.0}, std::vector<double>{-0.5, 1.7}, 4);
  EXPECT_EQ(table[0].cells, 1);
  EXPECT_EQ(table[3].cells, 1);
  EXPECT_EQ(calibration_error(table), 0.0);
  EXPECT_EQ(calibration_error({}), 0.0);
}

TEST(Reliability, RefusesWhatHasNoTable) {
  EXPECT_THROW((void)reliability(std::vector<double>{1.0}, std::vector<double>{1.0}, 0),
               std::invalid_argument);
  EXPECT_THROW((void)reliability(std::vector<double>{1.0}, std::vector<double>{}), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
