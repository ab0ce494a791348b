// SPDX-License-Identifier: MIT
// What is particular to the Tucker methods.
#include <gtest/gtest.h>

#include <lacuna/search/fit.hpp>

#include "model/body.hpp"
#include "support/tucker_tensor.hpp"

namespace lacuna {
namespace {

constexpr Method kTuckerMethods[] = {Method::kRprecon, Method::kGeomCg, Method::kTopt};

TEST(TuckerMethods, RanksBeyondTheModesAndEachOtherAreCappedWithANotice) {
  Rng rng(111);
  const ObservedTensor tensor = test::low_rank_tensor({9, 8, 3}, 1, 80, 0.1, rng);
  std::vector<std::string> notices;
  FitCallbacks callbacks;
  callbacks.notice = [&](const std::string& sentence) { notices.push_back(sentence); };
  const auto fitted = [&](Method method, std::vector<int> ranks) {
    return lacuna::ranks(
        fit_once(tensor, {.method = method, .ranks = std::move(ranks), .max_iterations = 2}, callbacks)
            .model);
  };
  EXPECT_EQ(fitted(Method::kGeomCg, {2, 2, 5}), (std::vector<int>{2, 2, 3}));
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0],
            "rank 5 of mode 3 is capped at 3, the size of the mode or the product of the other ranks");
  EXPECT_EQ(fitted(Method::kRprecon, {7, 2, 2}), (std::vector<int>{4, 2, 2}));
  EXPECT_EQ(fitted(Method::kTopt, {7, 2, 2}), (std::vector<int>{7, 2, 2}));  // it may be overestimated
}

TEST(TuckerMethods, EveryStartFindsTheTensor) {
  const test::LatentSplit split = test::tucker_tensor({15, 14, 13}, {2, 3, 2}, 0.5, 112);
  for (const Method method : kTuckerMethods)
    for (const Start start : {Start::kRandom, Start::kSpectral, Start::kGrow}) {
      if (method == Method::kTopt && start == Start::kRandom) continue;  // may end in a poor local minimum
      const FitResult result =
          fit_once(split.train, {.method = method, .start = start, .ranks = {2, 3, 2}}, {}, &split.test);
      EXPECT_LT(*result.last.test_rmse, 1e-2) << name(method) << " from " << name(start);
    }
}

TEST(TuckerMethods, PositionsNeverObservedGetTheMainEffectsOfTheOthers) {
  Entries entries{.cells = {{}, {}, {}}, .value = {}};
  Rng rng(113);
  for (Index i = 0; i < 6; ++i)
    for (Index j = 0; j < 5; ++j)
      for (Index k = 0; k < 4; ++k) {
        if (i == 3) continue;
        entries.cells.add({i, j, k});
        entries.value.push_back(rng.normal());
      }
  const ObservedTensor tensor = *ObservedTensor::create(test::plain_modes({6, 5, 4}), entries);
  for (const Method method : kTuckerMethods)
    for (const Start start : {Start::kRandom, Start::kSpectral, Start::kGrow}) {
      const FitResult result = fit_once(tensor, {.method = method,
                                                 .start = start,
                                                 .offsets = OffsetSpec{.mean = true},
                                                 .ranks = {2},
                                                 .max_iterations = 10});
      const Offsets& known = result.model.fallback;
      EXPECT_NEAR(known.mean, tensor.mean(), 1e-9);
      EXPECT_EQ(Predictor(result.model).predict({{3}, {1}, {2}}).value[0],
                known.mean + known.main_effect(1)->at(1) + known.main_effect(2)->at(2));
    }
}

TEST(TuckerMethods, AWarmStartMayHaveAnotherRank) {
  const test::LatentSplit split = test::tucker_tensor({15, 14, 13}, {3, 3, 3}, 0.6, 114);
  const FitResult low = fit_once(split.train, {.method = Method::kGeomCg, .ranks = {2}});
  const FitResult high = fit_once(
      split.train, {.method = Method::kRprecon, .ranks = {3}, .warm_start = &low.model}, {}, &split.test);
  EXPECT_EQ(ranks(high.model), (std::vector<int>{3, 3, 3}));
  EXPECT_LT(*high.last.test_rmse, 1e-2);
  const FitResult back =
      fit_once(split.train, {.method = Method::kTopt, .ranks = {2}, .warm_start = &high.model});
  EXPECT_NEAR(back.last.objective, low.last.objective, 0.05 * low.last.objective);
}

TEST(TuckerMethods, TheirRankGrowsWhileTheHeldOutErrorFalls) {
  test::LatentSplit split = test::tucker_tensor({25, 24, 23}, {3, 3, 3}, 0.3, 116);
  Rng rng(117);
  const double scale = split.test_norm / std::sqrt(static_cast<double>(split.test.size()));
  std::vector<double> noisy(split.train.values().begin(), split.train.values().end());
  for (double& value : noisy) value += 0.2 * scale * rng.normal();
  split.train.replace_values(std::move(noisy));
  for (const Method method : kTuckerMethods) {
    std::vector<std::string> notices;
    FitCallbacks callbacks;
    callbacks.notice = [&](const std::string& sentence) { notices.push_back(sentence); };
    Settings options{.method = method};
    const double fixed = *fit_once(split.train, options, {}, &split.test).last.test_rmse;  // rank 10
    options.offsets = OffsetSpec{};
    const FitResult result = fit(split.train, options, callbacks, &split.test);
    EXPECT_EQ(ranks(result.model), (std::vector<int>{3, 3, 3})) << name(method);
    EXPECT_LT(*result.last.test_rmse, 0.1 * scale) << name(method);
    EXPECT_LT(*result.last.test_rmse, 0.5 * fixed) << name(method);
    EXPECT_LE(notices.size(), 8U);  // the first trial, ranks 1 to 5, what was chosen
  }
}

TEST(TuckerMethods, ARankThatCannotBeHeldOutForIsTheDefault) {
  Entries entries{.cells = {{0, 1}, {0, 1}}, .value = {1.0, 2.0}};
  const auto tensor = ObservedTensor::create(test::plain_modes({2, 2}), entries);
  Settings options{.method = Method::kRprecon, .max_iterations = 3};
  EXPECT_TRUE(std::isfinite(fit(*tensor, options).last.objective));
}

TEST(TuckerMethods, ToptForgivesAnOverestimatedRank) {
  const test::LatentSplit split = test::tucker_tensor({20, 20, 20}, {2, 2, 2}, 0.6, 115);
  const FitResult result = fit_once(split.train, {.method = Method::kTopt, .ranks = {4}}, {}, &split.test);
  EXPECT_LT(*result.last.test_rmse, 0.05);
}

}  // namespace
}  // namespace lacuna
