// SPDX-License-Identifier: MIT
// A fit that was stopped and goes on ends with the bits of one that was never stopped.
#include "support/stopped_fit.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "model/body.hpp"
#include "support/latent_tensor.hpp"
#include "support/links.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::CheckpointTest;
using test::FitCase;
using test::FitOutcome;
using test::run_fit;
using test::small_tensor;

class StoppedFit : public CheckpointTest {
 protected:
  // Stops after so many questions, goes on from the file, and compares; returns the questions of the second run.
  int stop_and_go_on(const FitCase& one, const FitOutcome& whole, int stop_after, const std::string& bits) {
    std::filesystem::remove(path("state"));
    {
      Checkpoint first([&](const Checkpoint& state) { return save_checkpoint(path("state"), state); });
      (void)run_fit(one, &first, stop_after);
    }
    Checkpoint second;
    const bool left = std::filesystem::exists(path("state"));
    EXPECT_TRUE(!left || load_checkpoint(path("state"), second));
    const FitOutcome resumed = run_fit(one, &second);
    EXPECT_TRUE(bytes_of(resumed.result.model) == bits)
        << "stopped after " << stop_after << " of " << whole.polls;
    EXPECT_EQ(resumed.result.stop_reason, whole.result.stop_reason);
    EXPECT_EQ(resumed.result.last.iteration, whole.result.last.iteration);
    EXPECT_EQ(resumed.result.last.operator_applications, whole.result.last.operator_applications);
    EXPECT_EQ(resumed.result.choosing_applications, whole.result.choosing_applications);
    EXPECT_EQ(resumed.history.size(), whole.history.size()) << "stopped after " << stop_after;
    return resumed.polls;
  }

  // At `stops` moments from the beginning to the end, and so many questions before it. `continues`: a solve goes
  // on behind its last step.
  void check(const FitCase& one, int stops, bool continues, const std::vector<int>& before_the_end = {}) {
    const FitOutcome whole = run_fit(one, nullptr);
    const std::string bits = bytes_of(whole.result.model);
    // With a checkpoint some steps are not asked to stop.
    Checkpoint never([](const Checkpoint&) -> Result<> { return Nothing{}; }, 1e9);
    const int questions = run_fit(one, &never).polls;
    ASSERT_GT(questions, 0);
    for (int i = 0; i <= stops; ++i) {
      const int stop_after = static_cast<int>(static_cast<std::int64_t>(questions) * i / stops);
      const int polls = stop_and_go_on(one, whole, stop_after, bits);
      if (continues && i * 4 == stops * 3) {
        EXPECT_LT(polls, 2 * questions / 3) << "it began anew";
      }
      if (HasFailure()) return;
    }
    for (const int before : before_the_end) (void)stop_and_go_on(one, whole, questions - before, bits);
  }
};

TEST_F(StoppedFit, OfTheTrustRegionInDoubleAndFloatAlongItsPath) {
  for (const Precision precision : {Precision::kDouble, Precision::kFloat}) {
    Settings settings{.method = Method::kTrMm, .offsets = OffsetSpec{}, .ranks = {3}, .lambda = 50.0};
    settings.max_iterations = 30;
    settings.search.early_stop = 0.0;
    settings.latent.parts = Choice<std::vector<PartOptions>>();
    settings = paper_preset(settings, 3);
    settings.latent.precision = precision;
    check({.tensor = small_tensor(), .settings = settings}, 16, true);
  }
}

TEST_F(StoppedFit, OfTheTrustRegionThatKeepsItsBestStep) {
  const test::LatentSplit split = test::latent_tensor({10, 9, 8}, 1, 0.4, 3);
  Settings settings = paper_preset({.method = Method::kTrMm, .ranks = {2}, .lambda = 10.0}, 3);
  settings.max_iterations = 20;
  settings.search.early_stop = 0.0;
  settings.search.keep_best = true;
  check({.tensor = split.train, .settings = settings, .test = &split.test}, 12, true);
}

TEST_F(StoppedFit, OfProblemP) {
  Settings settings = paper_preset({.method = Method::kTrLs, .ranks = {2}, .lambda = 1.0}, 3);
  settings.max_iterations = 20;
  settings.search.early_stop = 0.0;
  check({.tensor = small_tensor(), .settings = settings}, 12, true);
  settings.latent.optimizer = Optimizer::kNonlinearCg;
  check({.tensor = small_tensor(), .settings = settings}, 12, true);
}

TEST_F(StoppedFit, OfEveryOtherMethod) {
  for (const MethodInfo& method : methods()) {
    if (method.method == Method::kTrMm || method.method == Method::kTrLs) continue;
    if (method.model == "offsets" || method.method == Method::kComplEx) continue;
    SCOPED_TRACE(method.name);
    Settings settings{.method = method.method, .offsets = OffsetSpec{.mean = true, .effects = {}}};
    if (takes(method.method, kTakesRank)) settings.ranks = {2};
    if (takes(method.method, kTakesLambda)) settings.lambda = 5.0;
    if (takes(method.method, kTakesSteps)) settings.max_iterations = 12;
    if (takes(method.method, kTakesEarlyStop)) settings.search.early_stop = 0.0;
    if (method.method == Method::kAls)
      settings.latent.parts = std::vector<PartOptions>{{.spec = {.mode = 0, .agree = {1}}}};
    check({.tensor = small_tensor(), .settings = settings}, 8, true);
  }
}

TEST_F(StoppedFit, ThatChoosesEverything) {
  const FitCase one{.tensor = small_tensor(220), .settings = {}};
  check(one, 24, false);
}

TEST_F(StoppedFit, ThatGrowsItsRanks) {
  Settings settings{
      .method = Method::kTrMm, .offsets = OffsetSpec{.mean = true, .effects = {}}, .lambda = 5.0};
  settings.latent.parts = std::vector<PartOptions>{{.spec = {.mode = 0, .agree = {1, 2}}},
                                                   {.spec = {.mode = 1, .agree = {0, 2}}}};
  check({.tensor = small_tensor(), .settings = settings}, 16, false);
  settings.latent.certified_gap = 1e-2;
  check({.tensor = small_tensor(), .settings = settings}, 12, false);
}

TEST_F(StoppedFit, WithIntervalsAndARobustLoss) {
  Settings settings{.method = Method::kTrMm,
                    .loss = Loss::kHuber,
                    .offsets = OffsetSpec{.mean = true, .effects = {}},
                    .ranks = {2},
                    .lambda = 5.0,
                    .max_iterations = 10};
  settings.search.calibrate = 0.05;
  check({.tensor = small_tensor(), .settings = settings}, 6, false);
}

TEST_F(StoppedFit, OfPartsWithNearModes) {
  Settings settings{.method = Method::kTrMm,
                    .offsets = OffsetSpec{.mean = true, .effects = {}},
                    .ranks = {2},
                    .lambda = 5.0,
                    .max_iterations = 8};
  settings.search.early_stop = 0.0;
  settings.latent.parts =
      std::vector<PartOptions>{{.spec = {.mode = 0, .agree = {2}, .near = {{1, 3.0}}}},
                               {.spec = {.mode = 2, .agree = {}, .near = {{0, 4.0}, {1, 4.0}}}}};
  check({.tensor = small_tensor(), .settings = settings}, 8, true);
}

TEST_F(StoppedFit, OfFactsByComplExAndByAnyMethod) {
  Rng rng(41);
  const test::GroupGraph graph = test::group_graph(12, 3, 2, 0.15, rng);
  FitCase one{.tensor = test::facts_tensor(graph.modes, graph.train), .settings = {}};
  one.settings.links.negatives = 4;
  one.settings.search.effort = Effort::kLow;
  check(one, 8, false);
  one.settings.method = Method::kComplEx;
  one.settings.ranks = {4};
  one.settings.max_iterations = 12;
  one.settings.search.early_stop = 0.0;
  check(one, 8, true);
}

// Ratings of a few by a few, with noise: two methods are about as good, and err differently.
ObservedTensor noisy_ratings(std::uint64_t seed) {
  Rng rng(seed);
  const std::vector<Index> extents{30, 25, 8};
  std::vector<Matrix<double>> factors;
  for (const Index extent : extents)
    factors.emplace_back(Matrix<double>::NullaryExpr(extent, 3, [&] { return rng.normal(); }));
  Entries entries{.cells = Cells(3), .value = {}};
  for (Index i = 0; i < extents[0]; ++i)
    for (Index j = 0; j < extents[1]; ++j)
      for (Index k = 0; k < extents[2]; ++k) {
        if (rng.uniform() > 0.3) continue;
        const auto a = factors[0].row(i);
        const auto b = factors[1].row(j);
        const auto c = factors[2].row(k);
        const double score = a(0) + b(0) + 0.3 * c(0) + 0.5 * (a(1) * b(1) + a(2) * b(2)) +
                             0.4 * (a(1) * c(1) + a(2) * c(2)) + 0.6 * rng.normal();
        entries.cells.add({i, j, k});
        entries.value.push_back(std::clamp(std::round(3.0 + score), 1.0, 5.0));
      }
  return std::move(ObservedTensor::create(test::plain_modes(extents), std::move(entries)).value());
}

TEST_F(StoppedFit, ThatEndsInABlend) {
  // The program names itself: one process, which is alone.
  FitCase one{.tensor = noisy_ratings(8), .settings = {}, .everyone = &serial_communicator()};
  one.settings.search.blend = 3;
  one.settings.search.effort = Effort::kLow;
  const FitOutcome whole = run_fit(one, nullptr);
  ASSERT_NE(std::get_if<Blend>(&*whole.result.model.body), nullptr) << whole.result.model.method;
  check(one, 5, false, {100, 50, 30, 20, 10, 5, 2});
}

TEST_F(StoppedFit, OnAnotherNumberOfThreads) {
  const FitCase one{.tensor = small_tensor(), .settings = {.method = Method::kTrMm, .ranks = {2}}};
  const FitOutcome whole = run_fit(one, nullptr);
  const std::string bits = bytes_of(whole.result.model);
  set_thread_count(1);
  {
    Checkpoint first([&](const Checkpoint& state) { return save_checkpoint(path("state"), state); });
    (void)run_fit(one, &first, whole.polls / 2);
  }
  set_thread_count(3);
  Checkpoint second;
  ASSERT_TRUE(load_checkpoint(path("state"), second));
  EXPECT_TRUE(bytes_of(run_fit(one, &second).result.model) == bits);
  set_thread_count(0);
}

}  // namespace
}  // namespace lacuna
