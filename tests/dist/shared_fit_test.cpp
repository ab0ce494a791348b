// SPDX-License-Identifier: MIT
// A fit that processes share ends where one process alone ends: the same objective to 1e-10, the same test error, the
// same model; and with the same bits whenever it is run on as many.
#include <gtest/gtest.h>

#include <algorithm>
#include <lacuna/model/structure.hpp>
#include <lacuna/search/fit.hpp>

#include "kernels/share_plan.hpp"
#include "method/together.hpp"
#include "model/shared_values.hpp"
#include "support/latent_tensor.hpp"
#include "support/thread_group.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::LatentSplit;
using test::ThreadGroup;

constexpr double kSameObjective = 1e-10;  // relative

struct Case {
  const char* name = "";
  Settings settings{};
  std::string parts{};
  std::string offsets = "none";
  double same_objective = 1e-10;  // relative
  double same_error = 1e-6;       // likewise
};

// Solved closely: how close to the optimum a step ends is decided by sums whose order is another on each number of
// processes.
std::vector<Case> cases() {
  const Settings dual{.method = Method::kTrMm,
                      .ranks = {2},
                      .lambda = 1.0,
                      .max_iterations = 200,
                      .tolerance = 1e-8,
                      .latent = {.certify = Certify::kAtTheEnd}};
  Settings primal = dual;
  primal.method = Method::kTrLs;
  primal.search.early_stop = 0.0;
  primal.max_iterations = 8;
  Settings on_grid = dual;  // whose solves take many sums
  on_grid.tolerance = 1e-8;
  on_grid.max_iterations = 60;
  Settings tucker{.method = Method::kRprecon, .ranks = {2}, .max_iterations = 400, .tolerance = 1e-9};
  return {
      {.name = "paper", .settings = dual, .parts = "full"},
      {.name = "marginal", .settings = dual, .parts = "1|2 ; 2|1 ; 3|1,2", .offsets = "modes"},
      {.name = "weighted", .settings = dual, .parts = "1|2 rows=0.5 fibers=0.5 ; 2|1,3", .offsets = "1,2*3"},
      {.name = "chain", .settings = dual, .parts = "1|2,3~2 ; 2|1,3", .offsets = "mean"},
      {.name = "grid", .settings = on_grid, .parts = "3|1~3,2~2 ; 1|2", .offsets = "mean"},
      {.name = "primal", .settings = primal, .parts = "full"},  // ends before any optimum
      {.name = "rprecon", .settings = tucker, .parts = "", .offsets = "mean"}};
}

class SharedFit : public testing::TestWithParam<Case> {
 protected:
  SharedFit() : one_(1), split_(test::latent_tensor({11, 9, 6}, 1, 0.5, 4)), settings_(GetParam().settings) {
    // Noise, so that no method can fit everything: an objective of 0 has no digits to compare.
    Rng rng(2);
    std::vector<double> noisy(split_.train.values().begin(), split_.train.values().end());
    for (double& value : noisy) value += 0.5 * rng.normal();
    split_.train.replace_values(std::move(noisy));
    const std::vector<Mode>& modes = split_.train.modes();
    if (!GetParam().parts.empty()) settings_.latent.parts = *parse_parts(GetParam().parts, modes);
    settings_.offsets = *parse_offsets(GetParam().offsets, modes);
    alone_ = fit_once(split_.train, settings_, {}, &split_.test);
  }

  // What the first of so many processes ends with.
  [[nodiscard]] FitResult fit_on(int processes, bool shared) const {
    FitResult first;
    ThreadGroup(processes).run([&](const Communicator& everyone) {
      FitCallbacks callbacks;
      callbacks.everyone = &everyone;
      callbacks.shared = shared;
      const ObservedTensor tensor =
          shared ? take_share_of_whole(split_.train, parts_of(settings_, 3), everyone) : split_.train;
      FitResult found = fit_once(tensor, settings_, callbacks, &split_.test);
      if (shared) gather_dual(everyone, found.model, GatherTo::kFirst);
      if (everyone.first()) first = std::move(found);
    });
    return first;
  }
  void expect_same(const FitResult& found, const std::string& what) const {
    EXPECT_NEAR(found.last.objective, alone_.last.objective,
                GetParam().same_objective * alone_.last.objective)
        << what;
    EXPECT_NEAR(*found.last.test_rmse, *alone_.last.test_rmse, GetParam().same_error * *alone_.last.test_rmse)
        << what;
    EXPECT_EQ(found.model.entries, alone_.model.entries) << what;
    const std::vector<double> here = Predictor(found.model).predict(split_.test.cells).value;
    const std::vector<double> there = Predictor(alone_.model).predict(split_.test.cells).value;
    for (std::size_t i = 0; i < here.size(); ++i)
      EXPECT_NEAR(here[i], there[i], 100 * GetParam().same_error) << what;
    ASSERT_EQ(found.certificate.has_value(), alone_.certificate.has_value());
    if (found.certificate) {
      EXPECT_NEAR(found.certificate->gap(), alone_.certificate->gap(), 1e-3) << what;
    }
    for (std::size_t p = 0; p < alone_.mixture.size(); ++p)
      EXPECT_NEAR(found.mixture[p], alone_.mixture[p], 1e-3) << what;
  }

  test::WithThreads one_;
  LatentSplit split_;
  Settings settings_;
  FitResult alone_;
};
INSTANTIATE_TEST_SUITE_P(Methods, SharedFit, testing::ValuesIn(cases()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(SharedFit, EndsWhereOneProcessEnds) {
  for (const int processes : {1, 2, 3, 4, 7})
    expect_same(fit_on(processes, true), std::to_string(processes) + " processes");
  expect_same(fit_on(3, false), "3 processes with all entries each");
}

// It ends far from any optimum, after hundreds of products.
TEST(SharedPrimalFit, EndsWhereOneProcessEnds) {
  const test::WithThreads one(1);
  for (const std::uint64_t seed : {4U, 5U, 6U}) {
    LatentSplit split = test::latent_tensor({30, 20, 14}, 2, 0.2, seed);
    Rng rng(seed);
    std::vector<double> noisy(split.train.values().begin(), split.train.values().end());
    for (double& value : noisy) value += 0.5 * rng.normal();
    split.train.replace_values(std::move(noisy));
    Settings settings{.method = Method::kTrLs, .ranks = {3}, .lambda = 1.0, .max_iterations = 10};
    settings.search.early_stop = 0.0;
    settings.latent.parts = full_structure(3);
    const FitResult alone = fit_once(split.train, settings, {}, &split.test);
    for (const int processes : {2, 3, 4, 7})
      ThreadGroup(processes).run([&](const Communicator& everyone) {
        FitCallbacks callbacks;
        callbacks.everyone = &everyone;
        const FitResult found = fit_once(split.train, settings, callbacks, &split.test);
        EXPECT_NEAR(found.last.objective, alone.last.objective, kSameObjective * alone.last.objective)
            << "seed " << seed << ", " << processes << " processes";
        EXPECT_NEAR(*found.last.test_rmse, *alone.last.test_rmse, 1e-6 * *alone.last.test_rmse);
      });
  }
}

TEST_P(SharedFit, HasTheSameBitsEveryTime) {
  const FitResult one = fit_on(3, true);
  const FitResult two = fit_on(3, true);
  EXPECT_TRUE(test::same_bits(one.last.objective, two.last.objective));
  EXPECT_TRUE(test::same_bits(*one.last.test_rmse, *two.last.test_rmse));
  EXPECT_EQ(Predictor(one.model).predict(split_.test.cells).value,
            Predictor(two.model).predict(split_.test.cells).value);
}

TEST(SharedFitOfLittle, SixtyFourProcessesWithTwentyEntries) {
  const test::WithThreads one(1);
  Rng rng(8);
  const ObservedTensor tensor = test::random_tensor({5, 4, 3}, 20, rng);
  const Settings settings{
      .method = Method::kTrMm, .ranks = {2}, .lambda = 1.0, .max_iterations = 50, .tolerance = 1e-8};
  const FitResult alone = fit_once(tensor, settings);
  ThreadGroup(64).run([&](const Communicator& everyone) {
    FitCallbacks callbacks;
    callbacks.everyone = &everyone;
    callbacks.shared = true;
    const FitResult found =
        fit_once(take_share_of_whole(tensor, full_parts(3), everyone), settings, callbacks, nullptr);
    EXPECT_NEAR(found.last.objective, alone.last.objective, kSameObjective * alone.last.objective);
  });
}

// Nearly all entries at one position of every mode that could be cut.
TEST(SharedFitOfLittle, VeryUnevenShares) {
  const test::WithThreads one(1);
  Rng rng(8);
  Entries entries{.cells = Cells(3), .value = {}};
  for (Index j = 0; j < 20; ++j)
    for (Index k = 0; k < 20; ++k)
      if (rng.uniform() < 0.7) {
        entries.cells.add({0, j, k});
        entries.value.push_back(rng.normal());
      }
  for (Index i = 1; i < 6; ++i) {
    entries.cells.add({i, i, i});
    entries.value.push_back(rng.normal());
  }
  std::vector<Mode> modes;
  for (const char* name : {"a", "b", "c"}) modes.push_back({.name = name, .size = 20});
  const ObservedTensor tensor = *ObservedTensor::create(modes, entries);
  // Only the first mode agrees in all parts.
  std::vector<PartOptions> parts = *parse_parts("2|1 ; 3|1", modes);
  Settings settings{
      .method = Method::kTrMm, .ranks = {2}, .lambda = 1.0, .max_iterations = 100, .tolerance = 1e-8};
  settings.latent.parts = parts;
  const FitResult alone = fit_once(tensor, settings);
  for (const int processes : {2, 7})
    ThreadGroup(processes).run([&](const Communicator& everyone) {
      FitCallbacks callbacks;
      callbacks.everyone = &everyone;
      const FitResult found = fit_once(tensor, settings, callbacks);
      EXPECT_NEAR(found.last.objective, alone.last.objective, kSameObjective * alone.last.objective);
    });
}

// What is chosen on held-out entries is chosen alike, whether a method shares the fit or not.
TEST(SharedSearch, ChoosesWhatOneProcessChooses) {
  const test::WithThreads one(1);
  const LatentSplit split = test::latent_tensor({12, 10, 5}, 1, 0.5, 4);
  const FitResult alone = fit(split.train, {}, {}, &split.test);
  ThreadGroup(3).run([&](const Communicator& everyone) {
    FitCallbacks callbacks;
    callbacks.everyone = &everyone;
    const FitResult found = fit(split.train, {}, callbacks, &split.test);
    EXPECT_EQ(found.model.method, alone.model.method);
    EXPECT_EQ(found.model.record.parts, alone.model.record.parts);
    EXPECT_EQ(ranks(found.model), ranks(alone.model));
    EXPECT_NEAR(*found.held_out_rmse, *alone.held_out_rmse, 1e-4 * *alone.held_out_rmse);
    EXPECT_NEAR(*found.last.test_rmse, *alone.last.test_rmse, 1e-4 * *alone.last.test_rmse);
  });
}

// One process's clock or signal stops all of them at the same step.
TEST(SharedStop, OneStopsAll) {
  const test::WithThreads one(1);
  const LatentSplit split = test::latent_tensor({12, 10, 5}, 1, 0.5, 4);
  std::vector<int> steps(3, -1);
  ThreadGroup(3).run([&](const Communicator& everyone) {
    int polls = 0;
    FitCallbacks callbacks;
    callbacks.everyone = &everyone;
    callbacks.interrupted = [&] { return everyone.rank() == 2 && ++polls > 40; };
    const FitResult found = fit_once(
        split.train, {.method = Method::kTrMm, .ranks = {2}, .lambda = 10.0, .tolerance = 1e-9}, callbacks);
    EXPECT_EQ(found.stop_reason, "interrupted");
    steps[static_cast<std::size_t>(everyone.rank())] = found.last.iteration;
  });
  EXPECT_EQ(steps[0], steps[2]);
  EXPECT_EQ(steps[1], steps[2]);
}

TEST(SharedFitRefuses, AMethodThatCannotShare) {
  const test::WithThreads one(1);
  const LatentSplit split = test::latent_tensor({6, 5, 4}, 1, 0.5, 4);
  EXPECT_THROW(ThreadGroup(2).run([&](const Communicator& everyone) {
    FitCallbacks callbacks;
    callbacks.everyone = &everyone;
    callbacks.shared = true;
    (void)fit_once(split.train, {.method = Method::kBayesCp}, callbacks);
  }),
               std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
