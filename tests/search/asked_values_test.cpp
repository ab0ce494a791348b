// SPDX-License-Identifier: MIT
// What `fit` and `tune` are asked for is checked before anything is tried, however much of it is left open.
#include <gtest/gtest.h>

#include <lacuna/search/fit.hpp>

#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

ObservedTensor some_tensor() {
  Rng rng(5);
  return test::random_tensor({8, 7, 6}, 120, rng);
}

// Each with the sentence that refuses it.
std::vector<std::pair<Settings, std::string>> wrong_settings() {
  std::vector<std::pair<Settings, std::string>> all;
  const auto add = [&](std::string sentence) -> Settings& {
    all.emplace_back(Settings{}, std::move(sentence));
    return all.back().first;
  };
  add("max-time must be seconds, a number >= 0 (0: no limit)").max_time = -1.0;
  add("lambda must be auto or a number > 0").lambda = -1.0;
  add("blend must be auto or a whole number >= 1").search.blend = 0;
  add("calibrate must be a share >= 0 and below 1").search.calibrate = 2.0;
  add("negatives must be a whole number >= 0, got -4").links.negatives = -4;
  add("corrupted must be modes, each once, from 0 to 2, got 7").links.corrupted = {7};
  add("corrupted must be modes, each once, from 0 to 2, got 1").links.corrupted = {1, 0, 1};
  add("tubes must be a mode from 0 to 2, got 9").dense.tubes = 9;
  add("an offset belongs to one mode or to two ascending modes of the tensor").offsets =
      OffsetSpec{.mean = true, .effects = {{9}}};
  Settings& lambdas = add("lambda and lambdas exclude each other");
  lambdas.lambda = 1.0;
  lambdas.latent.lambdas = std::vector<double>{1.0, 1.0, 1.0};
  Settings& gap = add("rank and gap exclude each other: ranks grow until the gap is reached");
  gap.ranks = {3};
  gap.latent.certified_gap = 1e-3;
  Settings& blend = add("blend is for a method that is left open, as als is not");
  blend.method = Method::kAls;
  blend.search.blend = 3;
  return all;
}

template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const std::invalid_argument& problem) {
    return problem.what();
  }
  return "";
}

TEST(AskedValues, AreCheckedBeforeAnythingIsTried) {
  const ObservedTensor tensor = some_tensor();
  for (auto& [settings, sentence] : wrong_settings()) {
    int told = 0;
    FitCallbacks callbacks;
    callbacks.notice = [&](const std::string&) { ++told; };
    EXPECT_EQ(refusal([&] { (void)fit(tensor, settings, callbacks); }), sentence);
    TuneOptions options{.folds = 2, .candidates = {{.name = "one", .options = settings}}};
    EXPECT_EQ(refusal([&] { (void)tune(tensor, options); }), sentence);
    EXPECT_EQ(told, 0) << sentence;
  }
}

// What is kept of a fit has the names of modes, so numbers of modes are looked at before it is written.
TEST(AskedValues, AreCheckedBeforeACheckpointHasThem) {
  Settings settings{.method = Method::kTsvd};
  settings.dense.tubes = 9;
  Checkpoint checkpoint([](const Checkpoint&) { return Nothing{}; });
  FitCallbacks callbacks;
  callbacks.checkpoint = &checkpoint;
  const std::string sentence = "tubes must be a mode from 0 to 2, got 9";
  EXPECT_EQ(refusal([&] { (void)fit(some_tensor(), settings, callbacks); }), sentence);
  EXPECT_EQ(refusal([&] { (void)fit_once(some_tensor(), settings); }), sentence);
}

TEST(AskedValues, OfTuningEndInTime) {
  TuneOptions options{.folds = 5, .candidates = {{.name = "auto", .options = {}}}, .max_time = 0.5};
  const TuneResult found = tune(some_tensor(), options);
  ASSERT_EQ(found.rows.size(), 1U);  // the fit finds its own lambda
  EXPECT_EQ(found.rows[0].lambda, std::nullopt);
  EXPECT_LE(*settings_of(options, found).max_time, 0.5);
  EXPECT_GT(*settings_of(options, found).max_time, 0.1);
  options.max_time = 1e-9;  // no fold is done
  const TuneResult none = tune(some_tensor(), options);
  EXPECT_TRUE(none.out_of_time);
  EXPECT_EQ(none.best, 0U);
  options.max_time = 0.0;
  EXPECT_THROW((void)tune(some_tensor(), options), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
