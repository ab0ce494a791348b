// SPDX-License-Identifier: MIT
// When checkpoints are written, and which of them are refused.
#include <gtest/gtest.h>

#include "model/journal.hpp"
#include "support/stopped_fit.hpp"

namespace lacuna {
namespace {

using test::CheckpointTest;
using test::FitCase;
using test::run_fit;
using test::small_tensor;

// Every step leaves a checkpoint; each of them is gone on from.
TEST_F(CheckpointTest, OfEveryStepCanBeGoneOnFrom) {
  Settings settings = paper_preset({.method = Method::kTrMm, .ranks = {2}, .lambda = 10.0}, 3);
  settings.max_iterations = 10;
  settings.search.early_stop = 0.0;
  const FitCase one{.tensor = small_tensor(), .settings = settings};
  int count = 0;
  Checkpoint every(
      [&](const Checkpoint& state) { return save_checkpoint(path(std::to_string(count++)), state); }, 0.0);
  const std::string bits = bytes_of(run_fit(one, &every).result.model);
  ASSERT_GE(count, 8);
  EXPECT_EQ(every.saves(), count);
  for (int i = 0; i < count; ++i) {
    Checkpoint state;
    ASSERT_TRUE(load_checkpoint(path(std::to_string(i)), state));
    EXPECT_TRUE(bytes_of(run_fit(one, &state).result.model) == bits) << i;
  }
}

TEST_F(CheckpointTest, OfOtherDataOrSettingsIsRefusedByName) {
  Settings settings{.method = Method::kTrMm, .ranks = {2}, .lambda = 10.0};
  const FitCase one{.tensor = small_tensor(), .settings = settings};
  {
    Checkpoint first([&](const Checkpoint& state) { return save_checkpoint(path("state"), state); });
    (void)run_fit(one, &first, 20);
  }
  const auto refusal = [&](const FitCase& other) -> std::string {
    Checkpoint second;
    second.call("data", "ratings.csv");
    EXPECT_TRUE(load_checkpoint(path("state"), second));
    try {
      (void)run_fit(other, &second);
    } catch (const CheckpointError& problem) {
      return problem.what();
    }
    return "";
  };
  FitCase other = one;
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
  other.settings.max_time = 1000.0;  // may differ, and so may how often it is measured
  other.settings.latent.certify = Certify::kEveryStep;
  EXPECT_EQ(refusal(other), "");
}

TEST_F(CheckpointTest, OfAnotherVersionIsRefusedByIt) {
  const FitCase one{.tensor = small_tensor(),
                    .settings = {.method = Method::kTrMm, .ranks = {2}, .lambda = 10.0}};
  Checkpoint state([](const Checkpoint&) -> Result<> { return Nothing{}; });
  (void)run_fit(one, &state, 20);
  Journal::About about = state.journal().about();
  ASSERT_EQ(about.front().first, "version");
  about.front().second = "0.0.1";
  state.journal().load("old.ckpt", about, state.journal().items());
  ASSERT_TRUE(save_checkpoint(path("state"), state));
  Checkpoint old;
  ASSERT_TRUE(load_checkpoint(path("state"), old));
  try {
    (void)run_fit(one, &old);
    FAIL() << "it went on";
  } catch (const CheckpointError& problem) {
    EXPECT_NE(std::string(problem.what()).find("another version: found '" + std::string(version()) + "'"),
              std::string::npos)
        << problem.what();
  }
}

TEST_F(CheckpointTest, ThatCannotBeWrittenDoesNotEndTheFit) {
  const FitCase one{.tensor = small_tensor(),
                    .settings = {.method = Method::kTrMm, .ranks = {2}, .lambda = 10.0}};
  const std::string bits = bytes_of(run_fit(one, nullptr).result.model);
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
  const FitCase one{.tensor = small_tensor(),
                    .settings = {.method = Method::kTrMm, .ranks = {2}, .lambda = 10.0}};
  {
    Checkpoint first([&](const Checkpoint& state) { return save_checkpoint(path("state"), state); });
    (void)run_fit(one, &first, 40);
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
      callbacks.found = [&](const TuneCandidate&, std::optional<double>, int, double) { ++fits; };
      callbacks.interrupted = [&] { return fits >= stop_after; };
      EXPECT_TRUE(tune(tensor, options, callbacks).interrupted);
    }
    Checkpoint second;
    ASSERT_TRUE(load_checkpoint(path("state"), second));
    TuneCallbacks callbacks;
    callbacks.checkpoint = &second;
    int fits = 0;
    callbacks.found = [&](const TuneCandidate&, std::optional<double>, int, double) { ++fits; };
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
