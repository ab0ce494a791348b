// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <lacuna/search/fit.hpp>
#include <set>

#include "base/rng.hpp"
#include "model/body.hpp"

namespace lacuna {
namespace {

struct Sample {
  ObservedTensor train;
  Entries test;
};

// user x item x week: strong effects of users and items and a user x item interaction of rank 1 that no week
// changes. Each (user, item) is seen in one week only, so the paper's user and item parts see single entries.
Sample ratings(double effect) {
  constexpr Index kUsers = 60;
  constexpr Index kItems = 50;
  constexpr Index kWeeks = 40;
  Rng rng(3);
  std::vector<double> taste(kUsers), quality(kItems), user(kUsers), item(kItems);
  for (auto* list : {&taste, &user})
    for (double& value : *list) value = rng.normal();
  for (auto* list : {&quality, &item})
    for (double& value : *list) value = rng.normal();
  Entries train{.cells = Cells(3), .value = {}};
  Entries test = train;
  for (Index u = 0; u < kUsers; ++u)
    for (Index i = 0; i < kItems; ++i) {
      if (rng.uniform() < 0.5) continue;
      Entries& list = rng.uniform() < 0.8 ? train : test;
      list.cells.add({u, i, static_cast<Index>(rng.uniform() * kWeeks)});
      list.value.push_back(taste[u] * quality[i] + effect * (user[u] + item[i]) + 0.1 * rng.normal());
    }
  auto tensor = ObservedTensor::create(
      {{.name = "user", .size = kUsers}, {.name = "item", .size = kItems}, {.name = "week", .size = kWeeks}},
      std::move(train));
  return {.train = std::move(*tensor), .test = std::move(test)};
}

bool has_part(const Model& model, int mode, const std::vector<int>& agree) {
  return std::any_of(model.latent()->parts.begin(), model.latent()->parts.end(), [&](const ModelPart& part) {
    return part.modes.mode == mode && part.modes.agree == agree;
  });
}

TEST(ChooseStructure, FindsTheMarginalPartsAndTheEffects) {
  const Sample sample = ratings(3.0);
  const Settings options{
      .method = Method::kTrMm, .ranks = {2}, .lambda = 1.0, .max_iterations = 20, .tolerance = 1e-3};
  const double plain = *fit_once(sample.train, options, {}, &sample.test).last.test_rmse;
  int notices = 0;
  FitCallbacks callbacks;
  callbacks.notice = [&](const std::string&) { ++notices; };
  const FitResult chosen = fit(sample.train, options, callbacks, &sample.test);
  EXPECT_TRUE(has_part(chosen.model, 0, {1}) || has_part(chosen.model, 1, {0}));
  std::set<int> effects;
  for (const Effect& effect : chosen.model.offsets.effects)
    effects.insert(effect.modes.begin(), effect.modes.end());
  EXPECT_TRUE(effects.contains(0) && effects.contains(1));
  EXPECT_LT(*chosen.last.test_rmse, 0.3 * plain);
  EXPECT_GT(notices, 5);
  EXPECT_LT(notices, 40);
}

TEST(ChooseStructure, KeepsWhatTheUserFixed) {
  const Sample sample = ratings(1.0);
  const Settings options{.method = Method::kTrMm,
                         .ranks = {2},
                         .lambda = 1.0,
                         .max_iterations = 5,
                         .latent = {.parts = full_structure(3)}};
  const FitResult result = fit(sample.train, options);
  EXPECT_EQ(result.model.latent()->parts.size(), 3U);
  EXPECT_EQ(result.model.latent()->parts[0].lambda, 60.0);
}

TEST(ChooseStructure, IsDeterministic) {
  const Sample sample = ratings(1.0);
  const Settings options{.ranks = {2}, .lambda = 1.0, .max_iterations = 5};
  const FitResult first = fit(sample.train, options);
  const FitResult second = fit(sample.train, options);
  EXPECT_EQ(first.model.record.others, second.model.record.others);
  EXPECT_EQ(first.model.record.ranks, second.model.record.ranks);
  EXPECT_EQ(first.model.record.lambdas, second.model.record.lambdas);
  EXPECT_EQ(first.last.objective, second.last.objective);
}

TEST(ChooseStructure, ATensorTooSmallToHoldOutFallsBack) {
  Entries entries{.cells = {{0, 1}, {0, 1}}, .value = {1.0, 2.0}};
  const auto tensor = ObservedTensor::create({{.name = "a", .size = 2}, {.name = "b", .size = 2}}, entries);
  const Settings options{.ranks = {1}, .max_iterations = 3};
  const FitResult result = fit(*tensor, options);
  EXPECT_TRUE(std::isfinite(result.last.objective));
  EXPECT_EQ(result.model.latent()->parts.size(), 2U);
}

// Four temperatures say what others are like, whatever the method; by low rank alone they would be 0.
TEST(ChooseStructure, TooFewEntriesToChooseByStillPredictTheirLike) {
  const Entries entries{.cells = {{0, 1, 0, 2}, {0, 1, 2, 0}}, .value = {20.5, 22.25, 21.75, 19.5}};
  const auto tensor = ObservedTensor::create({{.name = "a", .size = 3}, {.name = "b", .size = 3}}, entries);
  for (const Choice<Method>& method : {Choice<Method>(), Choice<Method>(Method::kTrMm)}) {
    const FitResult result = fit(*tensor, {.method = method});
    const Cells missing{{0, 1, 2, 1}, {1, 0, 2, 2}};
    for (const double value : Predictor(result.model).predict(missing).value) {
      EXPECT_GT(value, 19.0);
      EXPECT_LT(value, 23.0);
    }
  }
}

// At every moment of choosing there is a model, and a finite one.
TEST(ChooseStructure, InterruptedItKeepsTheBestSoFar) {
  const Sample sample = ratings(1.0);
  const double mean = *fit(sample.train, {.method = Method::kMean}, {}, &sample.test).last.test_rmse;
  for (const int most : {1, 3, 10, 100, 1000}) {
    int polls = 0;
    FitCallbacks callbacks;
    callbacks.interrupted = [&] { return ++polls > most; };
    const FitResult result = fit(sample.train, {}, callbacks, &sample.test);
    EXPECT_EQ(result.reason, StopReason::kStopped) << most;
    ASSERT_TRUE(result.last.test_rmse) << most;
    EXPECT_LT(*result.last.test_rmse, 1.05 * mean) << most;
  }
}

TEST(ChooseStructure, TheTimeLimitHoldsWithTheChoosingInside) {
  const Sample sample = ratings(1.0);
  const FitResult result = fit(sample.train, {.max_time = 1e-6}, {}, &sample.test);
  ASSERT_TRUE(result.last.test_rmse);
  EXPECT_TRUE(std::isfinite(*result.last.test_rmse));
}

}  // namespace
}  // namespace lacuna
