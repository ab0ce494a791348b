// SPDX-License-Identifier: MIT
// The contract of a fit: recovers what it can represent, is deterministic, honours its limits, refuses
// nonsense.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/method/fit_once.hpp>

#include "model/body.hpp"
#include "search/holes.hpp"
#include "support/latent_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::latent_tensor;
using test::LatentSplit;
using test::low_rank_tensor;

double relative_test_error(const LatentSplit& split, const FitResult& result) {
  return *result.last.test_rmse * std::sqrt(static_cast<double>(split.test.size())) / split.test_norm;
}

// The regulariser shrinks the solution in proportion to 1/lambda, so recovery needs a large one.
constexpr double kRecoveryLambda = 1e3;
constexpr double kRecovered = 1e-3;

TEST(Fit, TrMmRecoversAThreeWayLatentTensor) {
  LatentSplit split = latent_tensor({30, 30, 30}, 2, 0.6, 1);
  const FitResult result =
      fit_once(std::move(split.train), {.ranks = {2}, .lambda = kRecoveryLambda, .max_iterations = 8}, {},
               &split.test);
  EXPECT_LT(relative_test_error(split, result), kRecovered);
}

TEST(Fit, TrMmRecoversAFourWayLatentTensor) {
  LatentSplit split = latent_tensor({12, 12, 12, 12}, 1, 0.6, 1);
  const FitResult result = fit_once(
      std::move(split.train),
      {.ranks = {1}, .lambda = kRecoveryLambda, .max_iterations = 20, .tolerance = 1e-3}, {}, &split.test);
  EXPECT_LT(relative_test_error(split, result), kRecovered);
}

TEST(Fit, TrLsRecoversALatentTensor) {
  LatentSplit split = latent_tensor({20, 20, 20}, 1, 0.6, 3);
  const FitResult result = fit_once(std::move(split.train),
                                    {.method = Method::kTrLs,
                                     .ranks = {1},
                                     .lambda = 1.0,
                                     .max_iterations = 200,
                                     .search = {.early_stop = 0.0}},
                                    {}, &split.test);
  EXPECT_LT(relative_test_error(split, result), kRecovered);
}

TEST(Fit, ConjugateGradientsReachTheTrustRegionsObjective) {
  const Settings options{.ranks = {2}, .lambda = 1.0, .max_iterations = 2000, .tolerance = 1e-5};
  Settings first_order = options;
  first_order.latent.optimizer = Optimizer::kNonlinearCg;
  LatentSplit split = latent_tensor({12, 11, 10}, 2, 0.5, 4);
  const FitResult second = fit_once(split.train, options);
  const FitResult first = fit_once(split.train, first_order);
  EXPECT_TRUE(first.converged);
  EXPECT_NEAR(first.last.objective / second.last.objective, 1.0, 1e-6);
}

TEST(Fit, SameBitsAtAnyThreadCountAndForTheSameSeed) {
  Rng rng(9);
  const ObservedTensor tensor = low_rank_tensor({60, 50, 40}, 3, 20000, 0.1, rng);
  std::vector<double> first;
  for (const int threads : {1, 2, 3}) {
    const test::WithThreads scope(threads);
    const FitResult result =
        fit_once(tensor, {.start = Start::kRandom, .ranks = {3}, .max_iterations = 4, .seed = 17});
    const std::span<const double> z = result.model.latent()->dual.values();
    if (first.empty()) first.assign(z.begin(), z.end());
    EXPECT_TRUE(test::same_bits<double>(first, z)) << threads << " threads";
  }
}

TEST(Fit, FloatComesCloseToDouble) {
  LatentSplit split = latent_tensor({15, 15, 15}, 2, 0.5, 6);
  const Settings options{.ranks = {2}, .lambda = 1.0, .max_iterations = 30};
  Settings single = options;
  single.latent.precision = Precision::kFloat;
  const FitResult exact = fit_once(split.train, options, {}, &split.test);
  const FitResult close = fit_once(split.train, single, {}, &split.test);
  EXPECT_NEAR(*close.last.test_rmse / *exact.last.test_rmse, 1.0, 0.02);
}

TEST(Fit, TrainErrorIsTheErrorOfThePredictions) {
  Rng rng(10);
  const ObservedTensor tensor = low_rank_tensor({12, 10, 8}, 2, 400, 0.5, rng);
  for (const Method method : {Method::kTrMm, Method::kTrLs}) {
    const FitResult result = fit_once(tensor, {.method = method,
                                               .offsets = OffsetSpec{.mean = true},
                                               .ranks = {2},
                                               .max_iterations = 8,
                                               .search = {.early_stop = 0.0}});
    const auto predicted = Predictor(result.model).predict(tensor.cells()).value;
    double square = 0.0;
    for (std::size_t e = 0; e < predicted.size(); ++e)
      square += (predicted[e] - tensor.values()[e]) * (predicted[e] - tensor.values()[e]);
    EXPECT_NEAR(std::sqrt(square / static_cast<double>(predicted.size())), result.last.train_rmse, 1e-8);
  }
}

TEST(Fit, WarmStartFromItsOwnModelNeedsHardlyAnyStep) {
  LatentSplit split = latent_tensor({14, 13, 12}, 2, 0.5, 7);
  const FitResult cold = fit_once(split.train, {.ranks = {2}, .lambda = 1.0});
  const FitResult warm = fit_once(split.train, {.ranks = {2}, .lambda = 1.0, .warm_start = &cold.model});
  EXPECT_TRUE(warm.converged);
  EXPECT_LE(warm.last.iteration, 2);
  EXPECT_LT(warm.last.iteration, cold.last.iteration);
}

TEST(Fit, KeepsTheStepWithTheLowestTestErrorWhereAsked) {
  Rng rng(13);
  const ObservedTensor noisy = low_rank_tensor({15, 15, 15}, 1, 1500, 2.0, rng);  // soon overfitted
  const auto split = hold_out_like_holes(noisy, 0.25, 1);
  std::vector<double> errors;
  FitCallbacks callbacks;
  callbacks.progress = [&](const FitProgress& progress) {
    if (progress.accepted) errors.push_back(progress.test_error());
    return Flow::kContinue;
  };
  Settings options{.start = Start::kRandom, .ranks = {1}, .max_iterations = 25, .latent = {.path = 0}};
  const FitResult last = fit_once(split->kept, options, callbacks, &split->held);
  const double lowest = *std::min_element(errors.begin(), errors.end());
  ASSERT_GT(errors.back(), 1.05 * lowest);

  options.search.keep_best = true;
  const FitResult best = fit_once(split->kept, options, {}, &split->held);
  EXPECT_LT(*best.last.test_rmse, 1.03 * lowest);
  EXPECT_LT(best.last.iteration, last.last.iteration);
  EXPECT_EQ(best.last.operator_applications, last.last.operator_applications);
  const std::vector<double> predicted = Predictor(best.model).predict(split->held.cells).value;
  EXPECT_NEAR(rmse(split->held.value, predicted), *best.last.test_rmse, 1e-12);
}

TEST(Fit, ThePathIsThatOfTheLargestLambda) {
  const LatentSplit split = latent_tensor({10, 9, 8}, 1, 0.5, 14);
  const auto first_factor = [&](double factor) {
    std::vector<PartOptions> parts = full_structure(3);
    for (PartOptions& part : parts) part.lambda = factor;
    double first = 0.0;
    FitCallbacks callbacks;
    callbacks.progress = [&](const FitProgress& progress) {
      first = progress.lambda;
      return Flow::kStop;
    };
    (void)fit_once(split.train, {.ranks = {1}, .lambda = 10.0, .latent = {.parts = parts}}, callbacks);
    return first;
  };
  EXPECT_DOUBLE_EQ(first_factor(1.0), 0.1);
  EXPECT_DOUBLE_EQ(first_factor(0.1), 1.0);
  EXPECT_DOUBLE_EQ(first_factor(10.0), 0.01);
}

TEST(Fit, RankBeyondTheModeIsCappedWithANotice) {
  Rng rng(11);
  std::vector<std::string> notices;
  FitCallbacks callbacks;
  callbacks.notice = [&](const std::string& sentence) { notices.push_back(sentence); };
  const FitResult result = fit_once(low_rank_tensor({9, 8, 3}, 1, 80, 0.1, rng),
                                    {.ranks = {4, 4, 5}, .max_iterations = 2}, callbacks);
  EXPECT_EQ(result.model.latent()->parts[2].factor.cols(), 3);
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0], "rank 5 of part 3 is capped at its mode's size 3");
}

TEST(Fit, StopsOnTheCallbacksWordAndKeepsAValidModel) {
  Rng rng(12);
  FitCallbacks callbacks;
  callbacks.progress = [](const FitProgress& progress) {
    return progress.iteration >= 2 ? Flow::kStop : Flow::kContinue;
  };
  const ObservedTensor tensor = low_rank_tensor({20, 20, 20}, 3, 2000, 0.3, rng);
  const FitResult result = fit_once(tensor, {.ranks = {3}, .tolerance = 0.0}, callbacks);
  EXPECT_EQ(result.stop_reason, "interrupted");
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.last.iteration, 2);
  EXPECT_EQ(Predictor(result.model).predict(tensor.cells()).value.size(), 2000U);
}

TEST(Fit, InterruptedInsideAStepKeepsTheLastPoint) {
  Rng rng(13);
  int polls = 0;
  FitCallbacks callbacks;
  callbacks.interrupted = [&] { return ++polls > 40; };
  const FitResult result =
      fit_once(low_rank_tensor({20, 20, 20}, 3, 2000, 0.3, rng), {.ranks = {3}, .tolerance = 0.0}, callbacks);
  EXPECT_EQ(result.reason, StopReason::kStopped);
  for (const double z : result.model.latent()->dual.values()) EXPECT_TRUE(std::isfinite(z));
}

TEST(Fit, ConstantDataAndSingleEntriesGiveFiniteAnswers) {
  Entries entries{.cells = {{0, 1, 2}, {0, 1, 2}}, .value = {4.0, 4.0, 4.0}};
  auto tensor = ObservedTensor::create(test::plain_modes({3, 3}), entries);
  ASSERT_TRUE(tensor);
  const FitResult result = fit_once(*tensor, {.offsets = OffsetSpec{.mean = true}, .ranks = {2}});
  for (const double value : Predictor(result.model).predict({{0, 1, 2}, {1, 2, 0}}).value)
    EXPECT_NEAR(value, 4.0, 1e-9);

  auto one = ObservedTensor::create(test::plain_modes({3, 3}), {.cells = {{0}, {0}}, .value = {2.0}});
  ASSERT_TRUE(one);
  for (const double value : Predictor(fit_once(*one, {}).model).predict({{0, 1}, {0, 1}}).value)
    EXPECT_TRUE(std::isfinite(value));
}

TEST(Fit, RefusesWhatMakesNoSense) {
  Rng rng(14);
  const ObservedTensor tensor = low_rank_tensor({6, 6, 6}, 1, 50, 0.1, rng);
  EXPECT_THROW((void)fit_once(tensor, {.ranks = {0}}), std::invalid_argument);
  EXPECT_THROW((void)fit_once(tensor, {.ranks = {1, 2}}), std::invalid_argument);
  EXPECT_THROW((void)fit_once(tensor, {.lambda = -1.0}), std::invalid_argument);
  EXPECT_THROW((void)fit_once(tensor, {.lambda = std::nan("")}), std::invalid_argument);
  EXPECT_THROW((void)fit_once(tensor, {.latent = {.lambdas = {1.0, 2.0}}}), std::invalid_argument);
  EXPECT_THROW((void)fit_once(tensor, {.search = {.early_stop = 1.0}}), std::invalid_argument);
  EXPECT_THROW((void)fit_once(ObservedTensor{}, {}), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
