// SPDX-License-Identifier: MIT
// Whatever moment a fit is stopped at, and by whatever method, there is a model that is worth something.
#include <gtest/gtest.h>

#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/search/fit.hpp>

#include "base/rng.hpp"
#include "linalg/matrix.hpp"
#include "search/choose.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

struct Ratings {
  ObservedTensor train;
  Entries test;
};

// Values around 4 with effects of all modes: a zero model is off by 4, the mean by 1.2. The first mode is long enough for
// singular values to be found by Lanczos.
Ratings ratings() {
  const std::vector<Index> extents{90, 12, 5};
  Rng rng(71);
  std::vector<std::vector<double>> effect;
  for (const Index extent : extents) {
    effect.emplace_back(extent);
    for (double& value : effect.back()) value = 0.7 * rng.normal();
  }
  Entries train{.cells = Cells(3), .value = {}};
  Entries test = train;
  for (Index i = 0; i < extents[0]; ++i)
    for (Index j = 0; j < extents[1]; ++j)
      for (Index k = 0; k < extents[2]; ++k) {
        Entries& to = rng.uniform() < 0.4 ? train : test;
        to.cells.add({i, j, k});
        to.value.push_back(4.0 + effect[0][i] + effect[1][j] + effect[2][k] + 0.3 * rng.normal());
      }
  return {.train = std::move(ObservedTensor::create(test::plain_modes(extents), std::move(train)).value()),
          .test = std::move(test)};
}

double error_on(const Entries& test, const Model& model) {
  return rmse(test.value, Predictor(model).predict(test.cells).value);
}

double error_of_mean(const Ratings& data) {
  return error_on(data.test, fit_once(data.train, {.method = Method::kMean}).model);
}

bool fits_values(Method method) { return method != Method::kComplEx; }

TEST(StoppedEarly, EveryMethodAnswersNoWorseThanTheMean) {
  const Ratings data = ratings();
  const double mean = error_of_mean(data);
  for (const MethodInfo& method : methods()) {
    if (!fits_values(method.method)) continue;
    for (const int questions : {0, 1, 5, 25, 100}) {
      SCOPED_TRACE(std::string(method.name) + " stopped after " + std::to_string(questions));
      int asked = 0;
      FitCallbacks callbacks;
      callbacks.interrupted = [&] { return ++asked > questions; };
      const FitResult result = fit(data.train, {.method = method.method}, callbacks, &data.test);
      const double error = error_on(data.test, result.model);
      EXPECT_LT(error, 1.001 * mean);
      EXPECT_NEAR(result.last.test_rmse.value_or(0.0), error, 1e-9);
    }
  }
}

TEST(StoppedEarly, AFitThatNeverMadeAStepIsItsMainEffects) {
  const Ratings data = ratings();
  const double mean = error_of_mean(data);
  for (const MethodInfo& method : methods()) {
    if (!fits_values(method.method) || method.model == "offsets") continue;
    SCOPED_TRACE(method.name);
    FitCallbacks callbacks;
    callbacks.interrupted = [] { return true; };
    // Nothing is left to choose, and no offsets are asked for.
    Settings settings{.method = method.method, .offsets = OffsetSpec{}};
    if (takes(method.method, kTakesRank)) settings.ranks = {2};
    if (takes(method.method, kTakesLambda)) settings.lambda = 1.0;
    const FitResult result = fit_once(data.train, settings, callbacks, &data.test);
    EXPECT_FALSE(result.converged);
    EXPECT_LT(error_on(data.test, result.model), 0.7 * mean);
    EXPECT_NEAR(*result.last.test_rmse, error_on(data.test, result.model), 1e-9);
    EXPECT_NEAR(result.last.train_rmse,
                error_on({.cells = data.train.cells(),
                          .value = {data.train.values().begin(), data.train.values().end()}},
                         result.model),
                1e-9);
  }
}

TEST(StoppedEarly, TheClockLeavesAModelToo) {
  const Ratings data = ratings();
  const double mean = error_of_mean(data);
  for (const MethodInfo& method : methods()) {
    if (!fits_values(method.method)) continue;
    SCOPED_TRACE(method.name);
    const FitResult result = fit(data.train, {.method = method.method, .max_time = 1e-4});
    EXPECT_LT(error_on(data.test, result.model), 1.001 * mean);
  }
}

// User x item, of which one cell in twenty is observed.
Ratings pairs() {
  const std::vector<Index> extents{400, 200};
  Rng rng(72);
  const auto taste = test::random_matrix<double>(extents[0], 2, rng);
  const auto quality = test::random_matrix<double>(extents[1], 2, rng);
  Entries train{.cells = Cells(2), .value = {}};
  Entries test = train;
  for (Index i = 0; i < extents[0]; ++i)
    for (Index j = 0; j < extents[1]; ++j) {
      if (rng.uniform() > 0.06) continue;
      Entries& to = rng.uniform() < 0.85 ? train : test;
      to.cells.add({i, j});
      to.value.push_back(4.0 + taste.row(i).dot(quality.row(j)) + 0.1 * rng.normal());
    }
  return {.train = std::move(ObservedTensor::create(test::plain_modes(extents), std::move(train)).value()),
          .test = std::move(test)};
}

// als is among the first that are tried, also where enough cells are observed for methods that hold them all.
TEST(StoppedEarly, AFewTrialsAreEnoughForRatings) {
  const Ratings data = pairs();
  const double by_als = error_on(data.test, fit_once(data.train, {.method = Method::kAls}).model);
  int trials = 0;
  FitCallbacks callbacks;
  callbacks.notice = [&](const std::string& sentence) {
    trials += sentence.find("held-out RMSE") != std::string::npos ? 1 : 0;
  };
  callbacks.interrupted = [&] { return trials >= 4; };
  const FitResult result = fit(data.train, {}, callbacks);
  EXPECT_LT(by_als, 0.9 * error_of_mean(data));
  EXPECT_LT(error_on(data.test, result.model), 1.1 * by_als);
}

// Stopped after the first step of its last fit, which has begun afresh.
TEST(StoppedEarly, ALastFitThatHasNotComeAsFarAsTheTrialGivesWayToIt) {
  const Ratings data = pairs();
  const Settings settings{.method = Method::kAls};
  const double whole = error_on(data.test, fit(data.train, settings).model);
  FitCallbacks callbacks;
  callbacks.progress = [](const FitProgress&) { return Flow::kStop; };
  const FitResult stopped = fit(data.train, settings, callbacks, &data.test);
  EXPECT_EQ(stopped.reason, StopReason::kStopped);
  EXPECT_NE(stopped.stop_reason.find("the best trial is kept"), std::string::npos) << stopped.stop_reason;
  EXPECT_LT(error_on(data.test, stopped.model), 1.1 * whole);
  EXPECT_NEAR(*stopped.last.test_rmse, error_on(data.test, stopped.model), 1e-9);
  EXPECT_NEAR(*stopped.held_out_rmse, whole, 0.2 * whole);
}

// What notices a fit gave.
struct Told {
  FitResult result;
  std::string notices;
};
Told told_by(const ObservedTensor& tensor, const Settings& settings, int stop_after = -1) {
  Told told;
  int asked = 0;
  FitCallbacks callbacks;
  callbacks.notice = [&](const std::string& sentence) { told.notices += sentence + "\n"; };
  callbacks.interrupted = [&] { return stop_after >= 0 && ++asked > stop_after; };
  told.result = fit(tensor, settings, callbacks);
  return told;
}

TEST(StoppedEarly, IntervalsThatAreMissingAreTold) {
  const Ratings data = ratings();
  Settings settings{
      .method = Method::kTrMm, .offsets = OffsetSpec{.mean = true}, .ranks = {2}, .lambda = 1.0};
  settings.latent.parts = std::vector<PartOptions>{{.spec = {.mode = 0, .agree = {1, 2}}}};
  settings.search.calibrate = 0.05;
  const Told stopped = told_by(data.train, settings, 3);
  EXPECT_TRUE(stopped.result.model.calibration.groups.empty());
  EXPECT_NE(stopped.notices.find("no intervals"), std::string::npos) << stopped.notices;
  const Told whole = told_by(data.train, settings);
  EXPECT_FALSE(whole.result.model.calibration.groups.empty());
  EXPECT_EQ(whole.notices.find("no intervals"), std::string::npos);
}

TEST(StoppedEarly, AChoiceThatTheClockEndedIsNotCalledDone) {
  const Ratings data = ratings();
  const Told told = told_by(data.train, {.max_time = 0.02});
  EXPECT_FALSE(told.result.converged) << told.result.stop_reason;
  EXPECT_NE(told.notices.find("the time for choosing was up"), std::string::npos) << told.notices;
}

TEST(StoppedEarly, TheClockLeavesTimeForIntervals) {
  const Ratings data = ratings();
  for (const double seconds : {1e-3, 0.3, 1.5}) {
    Settings settings{.method = Method::kTrMm, .max_time = seconds};
    settings.search.calibrate = 0.05;
    const FitResult result = fit(data.train, settings);
    EXPECT_FALSE(result.model.calibration.groups.empty()) << seconds;
  }
}

TEST(CertifiedRank, IsReachedWithTheMethodOpenToo) {
  const Ratings data = ratings();
  for (const bool open : {true, false}) {
    Settings settings{.lambda = 1.0};
    if (!open) settings.method = Method::kTrMm;
    settings.latent.certified_gap = 1e-3;
    const Told told = told_by(data.train, settings);
    ASSERT_TRUE(told.result.certificate) << told.notices;
    EXPECT_LE(told.result.certificate->gap(), 1e-3) << told.notices;
    EXPECT_TRUE(told.result.converged);
  }
}

TEST(CertifiedRank, SaysThatAFitWasNotSolved) {
  const Ratings data = ratings();
  Settings settings{.method = Method::kTrMm, .offsets = OffsetSpec{}, .lambda = 100.0, .max_iterations = 1};
  settings.latent.parts = std::vector<PartOptions>{{.spec = {.mode = 2, .agree = {0, 1}}}};
  settings.latent.certified_gap = 1e-9;
  const Told told = told_by(data.train, settings);
  EXPECT_NE(told.notices.find("not solved"), std::string::npos) << told.notices;
  EXPECT_EQ(told.notices.find("rank above"), std::string::npos) << told.notices;
}

TEST(CertifiedRank, IsRefusedWhereThereIsNoCertificate) {
  for (const MethodInfo& method : methods()) {
    Settings settings{.method = method.method};
    settings.latent.certified_gap = 1e-3;
    if (method.method == Method::kTrMm)
      EXPECT_NO_THROW(check_taken(settings));
    else
      EXPECT_THROW(check_taken(settings), std::invalid_argument) << method.name;
  }
}

}  // namespace
}  // namespace lacuna
