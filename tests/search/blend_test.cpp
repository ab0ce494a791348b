// SPDX-License-Identifier: MIT
#include "search/blend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <numeric>
#include <utility>

#include "model/body.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

// A model that says `value` of each cell of a 20 x 20 tensor.
Trial trial_of(Method method, const std::vector<double>& value, const Entries& held) {
  Trial trial;
  trial.settings.method = method;
  FitResult result;
  result.model.method = "test";
  result.model.modes = test::plain_modes({20, 20});
  result.model.body = ModelBody(Dense{.value = value});
  trial.result = std::make_shared<const FitResult>(std::move(result));
  double squares = 0.0;
  for (Count e = 0; e < held.size(); ++e) {
    const double wrong = value[held.cells[0][e] + 20 * held.cells[1][e]] - held.value[e];
    squares += wrong * wrong;
  }
  trial.error = std::sqrt(squares / static_cast<double>(held.size()));
  return trial;
}

class RivalsOfOneTruth : public ::testing::Test {
 protected:
  RivalsOfOneTruth() : truth_(400) {
    Rng rng(4);
    for (double& value : truth_) value = rng.normal();
    held_.cells = Cells(2);
    for (Index i = 0; i < 20; ++i)
      for (Index j = 0; j < 20; ++j) {
        held_.cells.add({i, j});
        held_.value.push_back(truth_[i + 20 * j]);
      }
    for (std::vector<double>* one : {&a_, &b_}) {
      *one = truth_;
      for (double& value : *one) value += rng.normal();
    }
  }

  std::vector<double> truth_, a_, b_;
  Entries held_;
};

TEST_F(RivalsOfOneTruth, WithErrorsOfTheirOwnAreBetterTogether) {
  Rivals rivals;
  const Trial a = trial_of(Method::kTrMm, a_, held_);
  const Trial b = trial_of(Method::kHalrtc, b_, held_);
  rivals.consider(a, held_);
  rivals.consider(b, held_);
  const BlendChoice chosen = rivals.best_blend(a, held_, 3);
  ASSERT_EQ(chosen.members.size(), 2U);
  EXPECT_NEAR(chosen.weights[0] + chosen.weights[1], 1.0, 1e-12);
  EXPECT_NEAR(chosen.weights[0], 0.5, 0.1);
  EXPECT_LT(chosen.error, 0.75 * std::min(a.error, b.error));  // 1/sqrt(2) for equal ones

  // No other weights do better: the error on the line between the two is lowest there.
  const auto error_at = [&](double weight) {
    double squares = 0.0;
    for (std::size_t i = 0; i < truth_.size(); ++i)
      squares += std::pow(weight * a_[i] + (1.0 - weight) * b_[i] - truth_[i], 2.0);
    return std::sqrt(squares / static_cast<double>(truth_.size()));
  };
  const double weight =
      chosen.members[0]->settings.method == a.settings.method ? chosen.weights[0] : chosen.weights[1];
  EXPECT_NEAR(error_at(weight), chosen.error, 1e-6);
  EXPECT_GT(error_at(weight + 0.02), chosen.error);
  EXPECT_GT(error_at(weight - 0.02), chosen.error);
}

TEST_F(RivalsOfOneTruth, ThatSayTheSameAreNotBlended) {
  Rivals rivals;
  const Trial a = trial_of(Method::kTrMm, a_, held_);
  rivals.consider(a, held_);
  rivals.consider(trial_of(Method::kHalrtc, a_, held_), held_);
  const BlendChoice chosen = rivals.best_blend(a, held_, 3);
  ASSERT_EQ(chosen.members.size(), 1U);
  EXPECT_EQ(chosen.members[0], &a);
  EXPECT_EQ(chosen.weights, std::vector<double>{1.0});
}

TEST_F(RivalsOfOneTruth, FarBehindAreLeftOut) {
  Rivals rivals;
  const Trial a = trial_of(Method::kTrMm, a_, held_);
  std::vector<double> bad = b_;
  for (double& value : bad) value *= 5.0;
  rivals.consider(a, held_);
  rivals.consider(trial_of(Method::kHalrtc, bad, held_), held_);
  EXPECT_EQ(rivals.best_blend(a, held_, 3).members.size(), 1U);
}

TEST_F(RivalsOfOneTruth, AreTwoOfAKindAtMost) {
  Rivals rivals;
  Rng rng(9);
  Trial best;
  best.error = 1e300;
  for (int i = 0; i < 6; ++i) {
    std::vector<double> one = truth_;
    for (double& value : one) value += rng.normal();
    const Trial trial = trial_of(Method::kHalrtc, one, held_);
    if (trial.error < best.error) best = trial;
    rivals.consider(trial, held_);
  }
  EXPECT_EQ(rivals.best_blend(best, held_, 5).members.size(), 2U);
}

}  // namespace
}  // namespace lacuna
