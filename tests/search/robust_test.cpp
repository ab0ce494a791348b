// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/search/fit.hpp>

#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

// A low-rank cube with a little noise, of which a share of the observed entries is off by a lot.
struct Spoiled {
  ObservedTensor train;
  Entries test;
};

Spoiled spoiled(double share, std::uint64_t seed = 7) {
  Rng rng(seed);
  const std::vector<Index> shape{20, 18, 16};
  const ObservedTensor all = test::low_rank_tensor(shape, 2, 4000, 0.01, rng);
  Entries train{.cells = Cells(3), .value = {}};
  Entries held = train;
  for (Count e = 0; e < all.size(); ++e) {
    const bool kept = rng.uniform() < 0.7;
    Entries& list = kept ? train : held;
    list.cells.add(all.cells(), e);
    const double wrong = kept && rng.uniform() < share ? 10.0 * rng.normal() : 0.0;
    list.value.push_back(all.values()[e] + wrong);
  }
  return {.train = *ObservedTensor::create(all.modes(), std::move(train)), .test = std::move(held)};
}

Settings options(Method method, Loss loss) {
  Settings chosen{.method = method, .loss = loss, .offsets = OffsetSpec{}, .ranks = {2}};
  if (method == Method::kTrMm || method == Method::kTrLs) {
    chosen.latent.parts = full_structure(3);
    chosen.lambda = 3.0;
  }
  return chosen;
}

class Robust : public testing::TestWithParam<Method> {};

INSTANTIATE_TEST_SUITE_P(Methods, Robust,
                         testing::Values(Method::kTrMm, Method::kTrLs, Method::kRprecon, Method::kTopt),
                         [](const auto& method) {
                           std::string text(name(method.param));
                           std::erase(text, '-');
                           return text;
                         });

TEST_P(Robust, OutliersHardlyMatter) {
  double squared = 0.0;  // of three draws together: on single ones tr-ls gains more or less
  double robust = 0.0;
  for (const std::uint64_t seed : {7U, 8U, 9U}) {
    const Spoiled data = spoiled(0.1, seed);
    squared += *fit(data.train, options(GetParam(), Loss::kSquared), {}, &data.test).last.test_rmse;
    const FitResult result = fit(data.train, options(GetParam(), Loss::kHuber), {}, &data.test);
    robust += *result.last.test_rmse;
    const FitRecord& record = result.model.record;
    EXPECT_EQ(std::get<std::string>(*record.find("loss")), "huber");
    EXPECT_GT(std::get<double>(*record.find("downweighted_share")), 0.05);
    EXPECT_LT(std::get<double>(*record.find("downweighted_share")), 0.25);
  }
  EXPECT_LT(robust, 0.5 * squared);
}

TEST(RobustFit, CountsItsStepsOnAndKeepsTheLastPoint) {
  const Spoiled data = spoiled(0.1);
  int last = -1;
  double seconds = 0.0;
  FitCallbacks callbacks;
  callbacks.progress = [&](const FitProgress& progress) {
    EXPECT_GE(progress.iteration, last);
    EXPECT_GE(progress.seconds, seconds);
    last = progress.iteration;
    seconds = progress.seconds;
    return Flow::kContinue;
  };
  const FitResult result = fit(data.train, options(Method::kTrMm, Loss::kHuber), callbacks, &data.test);
  EXPECT_EQ(result.last.iteration, last);
  const auto predicted = Predictor(result.model).predict(data.test.cells).value;
  EXPECT_NEAR(rmse(data.test.value, predicted), *result.last.test_rmse, 1e-9);
}

TEST(RobustFit, StopsWhenAsked) {
  const Spoiled data = spoiled(0.1);
  FitCallbacks callbacks;
  callbacks.progress = [](const FitProgress& progress) {
    return progress.iteration >= 7 ? Flow::kStop : Flow::kContinue;
  };
  const FitResult result = fit(data.train, options(Method::kTrMm, Loss::kHuber), callbacks);
  EXPECT_EQ(result.reason, StopReason::kStopped);
  for (const double value : Predictor(result.model).predict(data.test.cells).value)
    EXPECT_TRUE(std::isfinite(value));
}

TEST(RobustFit, ChoosesOnTheInliers) {
  const Spoiled data = spoiled(0.1);
  Settings open = options(Method::kTrMm, Loss::kHuber);
  open.ranks.reopen();
  open.lambda.reopen();
  const double squared =
      *fit(data.train, options(Method::kTrMm, Loss::kSquared), {}, &data.test).last.test_rmse;
  EXPECT_LT(*fit(data.train, open, {}, &data.test).last.test_rmse, 0.5 * squared);
}

// Without outliers. Not with TR-MM: the bias of its regulariser on the largest values looks like outliers.
TEST(RobustFit, CleanDataIsFittedAsWellAsBefore) {
  const Spoiled data = spoiled(0.0);
  const auto error = [&](Loss loss) {
    return *fit(data.train, options(Method::kRprecon, loss), {}, &data.test).last.test_rmse;
  };
  EXPECT_LT(error(Loss::kHuber), 1.1 * error(Loss::kSquared));
}

TEST(RobustFit, ExactAndConstantDataHaveNoScaleAndAreLeftAlone) {
  const Entries constant{.cells = {{0, 1, 2}, {0, 1, 2}}, .value = {4.0, 4.0, 4.0}};
  const auto tensor = ObservedTensor::create({{.name = "a", .size = 3}, {.name = "b", .size = 3}}, constant);
  Settings centred = options(Method::kTrMm, Loss::kHuber);
  centred.latent.parts = full_structure(2);
  centred.offsets = OffsetSpec{.mean = true};
  for (const double value : Predictor(fit(*tensor, centred).model).predict({{0, 1}, {1, 2}}).value)
    EXPECT_NEAR(value, 4.0, 1e-9);
}

TEST(RobustFit, SaysThatItIsNotForLinks) {
  Rng rng(8);
  ObservedTensor tensor = test::low_rank_tensor({8, 7, 6}, 1, 100, 0.1, rng);
  std::vector<double> links(100);
  for (double& value : links) value = rng.uniform() < 0.5 ? 0.0 : 1.0;
  std::vector<std::string> notices;
  FitCallbacks callbacks;
  callbacks.notice = [&](const std::string& sentence) { notices.push_back(sentence); };
  Settings huber = options(Method::kTrMm, Loss::kHuber);
  huber.max_iterations = 3;
  (void)fit(tensor, huber, callbacks);
  const auto about_links = [](const std::string& s) { return s.find("0 or 1") != std::string::npos; };
  EXPECT_EQ(std::count_if(notices.begin(), notices.end(), about_links), 0);
  tensor.replace_values(std::move(links));
  (void)fit(tensor, huber, callbacks);
  EXPECT_EQ(std::count_if(notices.begin(), notices.end(), about_links), 1);
}

TEST(RobustFit, MethodsThatFitExactlyRefuseIt) {
  const Spoiled data = spoiled(0.1);
  for (const Method method : {Method::kHalrtc, Method::kTsvd, Method::kMean})
    EXPECT_THROW((void)fit(data.train, {.method = method, .loss = Loss::kHuber}), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
