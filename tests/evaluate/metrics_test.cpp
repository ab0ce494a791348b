// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>
#include <stdexcept>
#include <vector>

#include "base/rng.hpp"

namespace lacuna {
namespace {

TEST(Metrics, RmseAndMaeOfKnownErrors) {
  const std::vector<double> truth = {1, 2, 3, 4};
  const std::vector<double> predicted = {1, 4, 3, 0};
  EXPECT_DOUBLE_EQ(rmse(truth, predicted), std::sqrt(20.0 / 4));
  EXPECT_DOUBLE_EQ(mae(truth, predicted), 6.0 / 4);
}

TEST(Metrics, RmseOfErrorsWhoseSquaresAreNoNumbers) {
  for (const int exponent : {-1060, -600, -510, 510, 600, 1020}) {
    const std::vector<double> truth = {std::ldexp(1.0, exponent), 0.0, 0.0, std::ldexp(1.0, exponent)};
    const std::vector<double> predicted = {0.0, 0.0, std::ldexp(1.0, exponent), 0.0};
    EXPECT_DOUBLE_EQ(rmse(truth, predicted), std::ldexp(std::sqrt(0.75), exponent)) << exponent;
  }
  EXPECT_EQ(rmse(std::vector<double>{1e300}, std::vector<double>{1e300}), 0.0);
}

TEST(Metrics, RSquaredIsOneForPerfectZeroForTheMeanNothingForConstantTruth) {
  const std::vector<double> truth = {1, 2, 3, 6};
  EXPECT_DOUBLE_EQ(*r_squared(truth, truth), 1.0);
  EXPECT_NEAR(*r_squared(truth, std::vector<double>(4, 3.0)), 0.0, 1e-15);
  EXPECT_FALSE(r_squared(std::vector<double>(3, 2.0), std::vector<double>(3, 1.0)));
}

TEST(Metrics, AucCountsPairsWithTiesHalf) {
  Rng rng(5);
  std::vector<double> truth;
  std::vector<double> score;
  for (int i = 0; i < 200; ++i) {
    truth.push_back(rng.uniform() < 0.3 ? 1.0 : 0.0);
    score.push_back(static_cast<double>(rng.below(20)));  // many ties
  }
  double pairs = 0.0;
  double won = 0.0;
  for (std::size_t i = 0; i < truth.size(); ++i)
    for (std::size_t j = 0; j < truth.size(); ++j) {
      if (truth[i] != 1.0 || truth[j] != 0.0) continue;
      ++pairs;
      won += score[i] > score[j] ? 1.0 : score[i] == score[j] ? 0.5 : 0.0;
    }
  EXPECT_NEAR(*auc(truth, score), won / pairs, 1e-12);
}

TEST(Metrics, AucOfAConstantScorerIsOneHalf) {
  EXPECT_DOUBLE_EQ(*auc(std::vector<double>{0, 1, 1, 0, 1}, std::vector<double>(5, 7.0)), 0.5);
}

TEST(Metrics, AucNeedsZerosAndOnes) {
  EXPECT_FALSE(auc(std::vector<double>{0, 1, 2}, std::vector<double>{1, 2, 3}));
  EXPECT_FALSE(auc(std::vector<double>{1, 1}, std::vector<double>{1, 2}));
}

TEST(Metrics, RefuseListsThatDoNotMatch) {
  EXPECT_THROW((void)rmse(std::vector<double>{1}, std::vector<double>{1, 2}), std::invalid_argument);
  EXPECT_THROW((void)mae(std::vector<double>{}, std::vector<double>{}), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
