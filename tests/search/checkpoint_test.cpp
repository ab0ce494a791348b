// SPDX-License-Identifier: MIT
// A fit that was stopped and goes on ends with the bits of one that was never stopped.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <lacuna/io/files.hpp>
#include <lacuna/search/fit.hpp>

#include "base/rng.hpp"
#include "support/latent_tensor.hpp"
#include "support/links.hpp"
#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

class CheckpointTest : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = std::filesystem::temp_directory_path() / ("checkpoint-" + std::to_string(::getpid()));
    std::filesystem::create_directories(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }

  [[nodiscard]] std::string path(const std::string& name) const { return folder_ / name; }
  [[nodiscard]] std::string bytes(const std::string& name) const {
    std::ifstream file(path(name), std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::string bytes_of(const Model& model) {
    EXPECT_TRUE(save_model(path("model"), model));
    return bytes("model");
  }

  std::filesystem::path folder_;
};

struct Case {
  ObservedTensor tensor;
  Settings settings{};
  const Entries* test = nullptr;
};

// What came of a fit, and how often it asked whether to stop.
struct Outcome {
  FitResult result;
  int polls = 0;
  std::vector<FitProgress> history{};
};

Outcome run(const Case& one, Checkpoint* checkpoint, int stop_after = -1) {
  Outcome outcome;
  FitCallbacks callbacks;
  callbacks.checkpoint = checkpoint;
  callbacks.interrupted = [&] { return ++outcome.polls > stop_after && stop_after >= 0; };
  callbacks.progress = [&](const FitProgress& progress) {
    outcome.history.push_back(progress);
    return Flow::kContinue;
  };
  outcome.result = fit(one.tensor, one.settings, callbacks, one.test);
  return outcome;
}

class StoppedFit : public CheckpointTest {
 protected:
  // Stops after so many questions, goes on from the file, and compares; returns the questions of the second run.
  int stop_and_go_on(const Case& one, const Outcome& whole, int stop_after, const std::string& bits) {
    std::filesystem::remove(path("state"));
    {
      Checkpoint first([&](const Checkpoint& state) { return save_checkpoint(path("state"), state); });
      (void)run(one, &first, stop_after);
    }
    Checkpoint second;
    const bool left = std::filesystem::exists(path("state"));
    EXPECT_TRUE(!left || load_checkpoint(path("state"), second));
    const Outcome resumed = run(one, &second);
    EXPECT_TRUE(bytes_of(resumed.result.model) == bits)
        << "stopped after " << stop_after << " of " << whole.polls;
    EXPECT_EQ(resumed.result.stop_reason, whole.result.stop_reason);
    EXPECT_EQ(resumed.result.last.iteration, whole.result.last.iteration);
    EXPECT_EQ(resumed.result.last.operator_applications, whole.result.last.operator_applications);
    EXPECT_EQ(resumed.result.choosing_applications, whole.result.choosing_applications);
    EXPECT_EQ(resumed.history.size(), whole.history.size()) << "stopped after " << stop_after;
    return resumed.polls;
  }

  // At `stops` moments from the beginning to the end. `continues`: a solve goes on behind its last step.
  void check(const Case& one, int stops, bool continues) {
    const Outcome whole = run(one, nullptr);
    const std::string bits = bytes_of(whole.result.model);
    // With a checkpoint some steps are not asked to stop.
    Checkpoint never([](const Checkpoint&) -> Result<> { return Nothing{}; }, 1e9);
    const int questions = run(one, &never).polls;
    ASSERT_GT(questions, 0);
    for (int i = 0; i <= stops; ++i) {
      const int stop_after = static_cast<int>(static_cast<std::int64_t>(questions) * i / stops);
      const int polls = stop_and_go_on(one, whole, stop_after, bits);
      if (continues && i * 4 == stops * 3) {
        EXPECT_LT(polls, 2 * questions / 3) << "it began anew";
      }
      if (HasFailure()) return;
    }
  }
};

ObservedTensor small_tensor(Count entries = 300) {
  Rng rng(5);
  return test::low_rank_tensor({12, 10, 8}, 2, entries, 0.1, rng);
}

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
  const Case one{.tensor = small_tensor(220), .settings = {}};
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
  check({.tensor = small_tensor(), .settings = settings}, 16, false);
}

TEST_F(StoppedFit, OnAnotherNumberOfThreads) {
  const Case one{.tensor = small_tensor(), .settings = {.method = Method::kTrMm, .ranks = {2}}};
  const Outcome whole = run(one, nullptr);
  const std::string bits = bytes_of(whole.result.model);
  set_thread_count(1);
  {
    Checkpoint first([&](const Checkpoint& state) { return save_checkpoint(path("state"), state); });
    (void)run(one, &first, whole.polls / 2);
  }
  set_thread_count(3);
  Checkpoint second;
  ASSERT_TRUE(load_checkpoint(path("state"), second));
  EXPECT_TRUE(bytes_of(run(one, &second).result.model) == bits);
  set_thread_count(0);
}

// Every step leaves a checkpoint; each of them is gone on from.
TEST_F(CheckpointTest, OfEveryStepCanBeGoneOnFrom) {
  Settings settings = paper_preset({.method = Method::kTrMm, .ranks = {2}, .lambda = 10.0}, 3);
  settings.max_iterations = 10;
  settings.search.early_stop = 0.0;
  const Case one{.tensor = small_tensor(), .settings = settings};
  int count = 0;
  Checkpoint every(
      [&](const Checkpoint& state) { return save_checkpoint(path(std::to_string(count++)), state); }, 0.0);
  const std::string bits = bytes_of(run(one, &every).result.model);
  ASSERT_GE(count, 8);
  EXPECT_EQ(every.saves(), count);
  for (int i = 0; i < count; ++i) {
    Checkpoint state;
    ASSERT_TRUE(load_checkpoint(path(std::to_string(i)), state));
    EXPECT_TRUE(bytes_of(run(one, &state).result.model) == bits) << i;
  }
}

TEST_F(CheckpointTest, OfOtherDataOrSettingsIsRefusedByName) {
  Settings settings{.method = Method::kTrMm, .ranks = {2}, .lambda = 10.0};
  const Case one{.tensor = small_tensor(), .settings = settings};
  {
    Checkpoint first([&](const Checkpoint& state) { return save_checkpoint(path("state"), state); });
    (void)run(one, &first, 20);
  }
  const auto refusal = [&](const Case& other) -> std::string {
    Checkpoint second;
    second.call("data", "ratings.csv");
    EXPECT_TRUE(load_checkpoint(path("state"), second));
    try {
      (void)run(other, &second);
    } catch (const CheckpointError& problem) {
      return problem.what();
    }
    return "";
  };
  Case other = one;
  other.settings.ranks = {3};
  EXPECT_NE(refusal(other).find("another rank: found '3', expected '2'"), std::string::npos)
      << refusal(other);
  other = one;
  other.settings.lambda.reopen();
  EXPECT_NE(refusal(other).find("another lambda: found not given, expected '10'"), std::string::npos)
      << refusal(other);
  other = one;
  other.tensor = test::scaled(one.tensor, 2.0);
  EXPECT_NE(refusal(other).find("made from other data: ratings.csv has the checksum"), std::string::npos)
      << refusal(other);
  other = one;
  const Entries unseen = test::entries_of(one.tensor);
  other.test = &unseen;
  EXPECT_NE(refusal(other).find("made from other test entries"), std::string::npos) << refusal(other);
  other = one;
  other.settings.max_time = 1000.0;  // may differ
  EXPECT_EQ(refusal(other), "");
}

TEST_F(CheckpointTest, ThatCannotBeWrittenDoesNotEndTheFit) {
  const Case one{.tensor = small_tensor(),
                 .settings = {.method = Method::kTrMm, .ranks = {2}, .lambda = 10.0}};
  const std::string bits = bytes_of(run(one, nullptr).result.model);
  int told = 0;
  Checkpoint failing([](const Checkpoint&) -> Result<> { return output_error("state", "No space left"); },
                     0.0);
  FitCallbacks callbacks;
  callbacks.checkpoint = &failing;
  callbacks.notice = [&](const std::string& sentence) {
    told += sentence.find("the checkpoint could not be written (state: No space left)") == 0 ? 1 : 0;
  };
  EXPECT_TRUE(bytes_of(fit(one.tensor, one.settings, callbacks).model) == bits);
  EXPECT_GT(told, 0);
  ASSERT_TRUE(failing.problem());
  EXPECT_EQ(failing.problem()->kind, ErrorKind::kOutput);
  EXPECT_EQ(failing.saves(), 0);
}

TEST_F(CheckpointTest, ThatIsDamagedIsRefused) {
  const Case one{.tensor = small_tensor(),
                 .settings = {.method = Method::kTrMm, .ranks = {2}, .lambda = 10.0}};
  {
    Checkpoint first([&](const Checkpoint& state) { return save_checkpoint(path("state"), state); });
    (void)run(one, &first, 40);
  }
  const std::string whole = bytes("state");
  ASSERT_GT(whole.size(), 1000U);
  Rng rng(1);
  for (int i = 0; i < 200; ++i) {
    std::string damaged = whole;
    if (i % 2 == 0)
      damaged.resize(rng.below(damaged.size()));
    else
      damaged[rng.below(damaged.size())] ^= static_cast<char>(1 + rng.below(255));
    std::ofstream(path("damaged"), std::ios::binary) << damaged;
    Checkpoint state;
    const auto loaded = load_checkpoint(path("damaged"), state);
    ASSERT_FALSE(loaded);
    EXPECT_EQ(loaded.error().kind, ErrorKind::kInput);
  }
}

TEST_F(CheckpointTest, OfTuningGoesOnWithTheSameErrors) {
  const ObservedTensor tensor = small_tensor();
  TuneOptions options{.folds = 2, .candidates = {}, .lambdas = {0.1, 1.0, 10.0}, .refinements = 1};
  for (const int rank : {1, 2}) {
    Settings settings{.method = Method::kTrMm, .offsets = OffsetSpec{}, .ranks = {rank}, .max_iterations = 4};
    options.candidates.push_back(
        {.name = "rank " + std::to_string(rank), .options = paper_preset(settings, 3)});
  }
  const TuneResult whole = tune(tensor, options);
  for (const int stop_after : {1, 4, 9}) {
    {
      Checkpoint first([&](const Checkpoint& state) { return save_checkpoint(path("state"), state); });
      TuneCallbacks callbacks;
      callbacks.checkpoint = &first;
      int fits = 0;
      callbacks.found = [&](const TuneCandidate&, double, int, double) { ++fits; };
      callbacks.interrupted = [&] { return fits >= stop_after; };
      EXPECT_TRUE(tune(tensor, options, callbacks).interrupted);
    }
    Checkpoint second;
    ASSERT_TRUE(load_checkpoint(path("state"), second));
    TuneCallbacks callbacks;
    callbacks.checkpoint = &second;
    int fits = 0;
    callbacks.found = [&](const TuneCandidate&, double, int, double) { ++fits; };
    const TuneResult resumed = tune(tensor, options, callbacks);
    ASSERT_EQ(resumed.rows.size(), whole.rows.size());
    for (std::size_t r = 0; r < whole.rows.size(); ++r)
      EXPECT_EQ(resumed.rows[r].errors, whole.rows[r].errors);
    EXPECT_EQ(resumed.best, whole.best);
    int all = 0;
    for (const TuneRow& row : whole.rows)
      for (const auto& error : row.errors) all += error ? 1 : 0;
    EXPECT_EQ(fits, all - stop_after);
  }
}

}  // namespace
}  // namespace lacuna
