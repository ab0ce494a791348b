// SPDX-License-Identifier: MIT
// Processes that share the entries hold out what one process holds out, and choose and tune as it does, though none of
// them has all entries.
#include <gtest/gtest.h>

#include <algorithm>
#include <lacuna/model/structure.hpp>
#include <lacuna/search/fit.hpp>
#include <set>

#include "evaluate/intervals.hpp"
#include "kernels/layouts.hpp"
#include "model/body.hpp"
#include "model/shared_values.hpp"
#include "search/holes.hpp"
#include "search/near.hpp"
#include "search/structure.hpp"
#include "support/latent_tensor.hpp"
#include "support/thread_group.hpp"
#include "support/threads.hpp"
#include "tensor/cell_hash.hpp"

namespace lacuna {
namespace {

using test::LatentSplit;
using test::ThreadGroup;

// Every process has the entries of some cells, here and there: as when a file is read.
ObservedTensor portion(const ObservedTensor& whole, const Communicator& everyone) {
  return hold_out(whole,
                  [&](Count e) {
                    return static_cast<int>(cell_hash(whole.cells(), e, 0) %
                                            static_cast<std::uint64_t>(everyone.size())) != everyone.rank();
                  })
      .kept;
}

ObservedTensor filled(const std::vector<Index>& shape,
                      const std::function<bool(Index, Index, Index)>& observed) {
  Entries entries{.cells = Cells(3), .value = {}};
  Rng rng(12);
  for (Index i = 0; i < shape[0]; ++i)
    for (Index j = 0; j < shape[1]; ++j)
      for (Index k = 0; k < shape[2]; ++k) {
        const double value = rng.normal();
        if (!observed(i, j, k)) continue;
        entries.cells.add({i, j, k});
        entries.value.push_back(value);
      }
  return *ObservedTensor::create(test::plain_modes(shape), std::move(entries));
}

struct Holes {
  const char* name;
  ObservedTensor tensor;
};

std::vector<Holes> holes() {
  Rng rng(7);
  std::vector<Holes> list;
  list.push_back({"sparse", test::random_tensor({40, 30, 25}, 900, rng)});
  list.push_back({"dense", test::random_tensor({14, 12, 10}, 700, rng)});
  list.push_back({"pixels", filled({25, 20, 3}, [](Index i, Index j, Index) {
                    return mixed_bits(1000U * i + j) % 10 < 4;
                  })});
  list.push_back({"blocks", filled({36, 36, 2}, [](Index i, Index j, Index) {
                    return i / 9 % 2 == 0 || j / 9 % 2 == 0;
                  })});
  list.push_back({"mixed", filled({20, 16, 24}, [](Index i, Index j, Index k) {
                    return mixed_bits(1000U * i + j) % 10 >= 3 &&
                           mixed_bits(1000U * (1000U * i + j) + k) % 10 >= 3;
                  })});
  return list;
}

class HeldOut : public testing::TestWithParam<Holes> {};
INSTANTIATE_TEST_SUITE_P(Kinds, HeldOut, testing::ValuesIn(holes()),
                         [](const auto& tested) { return std::string(tested.param.name); });

TEST_P(HeldOut, IsTheSameOnAnyNumberOfProcesses) {
  const ObservedTensor& whole = GetParam().tensor;
  const auto alone = hold_out_like_holes(whole, 0.2, 5);
  ASSERT_TRUE(alone);
  EXPECT_NEAR(static_cast<double>(alone->held.size()), 0.2 * static_cast<double>(whole.size()),
              0.08 * static_cast<double>(whole.size()));
  for (const int processes : {2, 3, 64})
    ThreadGroup(processes).run([&](const Communicator& everyone) {
      const auto split = hold_out_like_holes(portion(whole, everyone), 0.2, 5, everyone);
      ASSERT_TRUE(split);
      EXPECT_EQ(split->held.cells, alone->held.cells);
      EXPECT_EQ(split->held.value, alone->held.value);
      EXPECT_EQ(everyone.sum(split->kept.size()), alone->kept.size());
    });
}

TEST_P(HeldOut, FoldsAreTheSameOnAnyNumberOfProcesses) {
  const ObservedTensor& whole = GetParam().tensor;
  constexpr int kFolds = 4;
  const std::vector<int> alone = fold_of_entries(whole, kFolds, 5);
  for (int fold = 0; fold < kFolds; ++fold)
    EXPECT_NEAR(static_cast<double>(std::count(alone.begin(), alone.end(), fold)),
                static_cast<double>(whole.size()) / kFolds, 0.1 * static_cast<double>(whole.size()));
  for (const int processes : {2, 7})
    ThreadGroup(processes).run([&](const Communicator& everyone) {
      const ObservedTensor mine = portion(whole, everyone);
      const std::vector<int> folds = fold_of_entries(mine, kFolds, 5, everyone);
      for (int fold = 0; fold < kFolds; ++fold) {
        const HoldOut split = hold_out_fold(mine, folds, fold, everyone);
        const HoldOut expected = hold_out_fold(whole, alone, fold, serial_communicator());
        EXPECT_EQ(split.held.cells, expected.held.cells);
        EXPECT_EQ(split.held.value, expected.held.value);
        // Of very many some are judged, and none is learned from.
        const double few = 0.3 * static_cast<double>(expected.held.size());
        const HoldOut judged = hold_out_fold(mine, folds, fold, everyone, few);
        EXPECT_EQ(judged.kept.cells(), split.kept.cells());
        EXPECT_EQ(judged.held.cells,
                  hold_out_fold(whole, alone, fold, serial_communicator(), few).held.cells);
        EXPECT_NEAR(static_cast<double>(judged.held.size()), few, 6.0 * std::sqrt(few));
      }
    });
}

TEST(SharedStatistics, AreThoseOfOneProcess) {
  const ObservedTensor smooth = [] {
    ObservedTensor tensor =
        filled({12, 10, 9}, [](Index i, Index j, Index k) { return (i + j + k) % 3 != 0; });
    std::vector<double> values;
    for (Count e = 0; e < tensor.size(); ++e)
      values.push_back(std::sin(0.3 * tensor.index(0)[e]) + 0.1 * tensor.index(2)[e] * tensor.index(1)[e]);
    tensor.replace_values(std::move(values));
    return tensor;
  }();
  Rng rng(3);
  const ObservedTensor lonely = test::random_tensor({300, 200, 100}, 400, rng);
  std::vector<PartSpec> parts = full_parts(3);
  parts.push_back({.mode = 0, .agree = {1}});
  parts.push_back({.mode = 2, .agree = {0}});
  ThreadGroup(3).run([&](const Communicator& everyone) {
    const auto alone = ordered_modes(smooth, serial_communicator());
    const auto together = ordered_modes(portion(smooth, everyone), everyone);
    ASSERT_EQ(alone.size(), together.size());
    EXPECT_FALSE(alone.empty());
    for (std::size_t i = 0; i < alone.size(); ++i) {
      EXPECT_EQ(alone[i].mode, together[i].mode);
      EXPECT_NEAR(alone[i].squared, together[i].squared, 1e-12);
    }
    for (const ObservedTensor* tensor : {&smooth, &lonely})
      for (const PartSpec& part : parts)
        EXPECT_EQ(says_something(*tensor, part, serial_communicator()),
                  says_something(portion(*tensor, everyone), part, everyone));
  });
}

class SharedChoice : public testing::Test {
 protected:
  SharedChoice() : one_(1), split_(test::latent_tensor({14, 10, 7}, 1, 0.5, 4)) {
    Rng rng(2);
    std::vector<double> noisy(split_.train.values().begin(), split_.train.values().end());
    for (double& value : noisy) value += 0.3 * rng.normal();
    split_.train.replace_values(std::move(noisy));
  }

  // What the first process ends with, none of them having all entries.
  [[nodiscard]] FitResult fit_on(int processes, const Settings& settings,
                                 std::vector<std::string>* notices = nullptr) const {
    FitResult first;
    ThreadGroup(processes).run([&](const Communicator& everyone) {
      FitCallbacks callbacks;
      callbacks.everyone = &everyone;
      callbacks.shared = true;
      if (notices != nullptr && everyone.first())
        callbacks.notice = [&](const std::string& sentence) { notices->push_back(sentence); };
      FitResult found = fit(portion(split_.train, everyone), settings, callbacks, &split_.test);
      gather_dual(everyone, found.model, GatherTo::kFirst);
      if (everyone.first()) first = std::move(found);
    });
    return first;
  }
  // Trials are solved roughly, to a gradient of a thousandth: so much their errors may differ.
  void expect_same(Settings settings, double same = 1e-3) const {
    settings.search.effort = Effort::kLow;
    const FitResult alone = fit(split_.train, settings, {}, &split_.test);
    for (const int processes : {2, 3}) {
      const FitResult found = fit_on(processes, settings);
      EXPECT_EQ(found.model.method, alone.model.method);
      EXPECT_EQ(found.model.record.parts, alone.model.record.parts);
      EXPECT_EQ(ranks(found.model), ranks(alone.model));
      EXPECT_EQ(found.model.record.lambda, alone.model.record.lambda);
      EXPECT_EQ(found.model.entries, alone.model.entries);
      EXPECT_NEAR(*found.held_out_rmse, *alone.held_out_rmse, same * *alone.held_out_rmse);
      EXPECT_NEAR(*found.last.test_rmse, *alone.last.test_rmse, same * *alone.last.test_rmse);
      const std::vector<double> here = Predictor(found.model).predict(split_.test.cells).value;
      const std::vector<double> there = Predictor(alone.model).predict(split_.test.cells).value;
      for (std::size_t i = 0; i < here.size(); ++i) EXPECT_NEAR(here[i], there[i], 30 * same);
    }
  }

  test::WithThreads one_;
  LatentSplit split_;
};

TEST_F(SharedChoice, OfRankAndLambda) {
  Settings settings{.method = Method::kTrMm};
  settings.latent.parts = full_structure(3);
  settings.offsets = OffsetSpec{.mean = true, .effects = {}};
  expect_same(settings);
}

TEST_F(SharedChoice, OfPartsAndOffsets) { expect_same({.method = Method::kTrMm}); }

TEST_F(SharedChoice, OfATuckerRank) { expect_same({.method = Method::kRprecon}); }

// Its steps are counted on held-out entries.
TEST_F(SharedChoice, OfSteps) {
  Settings settings{.method = Method::kTrLs, .ranks = {2}, .lambda = 1.0};
  settings.latent.parts = full_structure(3);
  settings.offsets = OffsetSpec{.mean = true, .effects = {}};
  const FitResult alone = fit(split_.train, settings, {}, &split_.test);
  const FitResult found = fit_on(3, settings);
  EXPECT_EQ(found.last.iteration, alone.last.iteration);
  EXPECT_NEAR(*found.last.test_rmse, *alone.last.test_rmse, 1e-4 * *alone.last.test_rmse);
}

TEST_F(SharedChoice, OfRanksToACertifiedGap) {
  Settings settings{.method = Method::kTrMm, .lambda = 0.1};
  settings.latent.parts = full_structure(3);
  settings.latent.certified_gap = 0.05;
  settings.offsets = OffsetSpec{.mean = true, .effects = {}};
  const FitResult alone = fit(split_.train, settings, {}, &split_.test);
  const FitResult found = fit_on(3, settings);
  EXPECT_EQ(ranks(found.model), ranks(alone.model));
  EXPECT_LE(found.certificate->gap(), 0.05);
  EXPECT_NEAR(*found.last.test_rmse, *alone.last.test_rmse, 1e-3 * *alone.last.test_rmse);
}

TEST_F(SharedChoice, OfTheMethodLeavesOutThoseThatCannotShare) {
  std::vector<std::string> notices;
  Settings settings;
  settings.search.effort = Effort::kLow;
  const FitResult found = fit_on(3, settings, &notices);
  EXPECT_EQ(found.model.method, "tr-mm");
  ASSERT_FALSE(notices.empty());
  EXPECT_NE(notices.front().find("only methods that share a fit are tried"), std::string::npos);
  for (const std::string& sentence : notices)
    EXPECT_EQ(sentence.find(" als,"), std::string::npos) << sentence;
  const FitResult mean = fit(split_.train, {.method = Method::kMean}, {}, &split_.test);
  EXPECT_LT(*found.last.test_rmse, *mean.last.test_rmse);
}

// The best trial is kept, and the first process has all of it.
TEST_F(SharedChoice, ThatIsInterruptedKeepsTheBestTrial) {
  FitResult first;
  ThreadGroup(3).run([&](const Communicator& everyone) {
    FitCallbacks callbacks;
    callbacks.everyone = &everyone;
    callbacks.shared = true;
    int polls = 0;
    callbacks.interrupted = [&] { return everyone.rank() == 1 && ++polls > 150; };
    FitResult found =
        fit(portion(split_.train, everyone), {.method = Method::kTrMm}, callbacks, &split_.test);
    EXPECT_EQ(found.reason, StopReason::kStopped);
    gather_dual(everyone, found.model, GatherTo::kFirst);
    if (everyone.first()) first = std::move(found);
  });
  ASSERT_TRUE(first.last.test_rmse);
  ASSERT_NE(first.model.latent(), nullptr);
  EXPECT_LT(first.model.latent()->dual.size(), split_.train.size());  // a tenth is held out
  EXPECT_GT(first.model.latent()->dual.size(), split_.train.size() / 2);
}

TEST_F(SharedChoice, OfIntervals) {
  Settings settings{.method = Method::kTrMm, .ranks = {2}, .lambda = 0.1, .tolerance = 1e-8};
  settings.latent.parts = full_structure(3);
  settings.offsets = OffsetSpec{.mean = true, .effects = {}};
  settings.search.calibrate = 0.05;
  const FitResult alone = fit(split_.train, settings, {}, &split_.test);
  for (const int processes : {2, 5}) {
    const FitResult found = fit_on(processes, settings);
    EXPECT_NEAR(*found.last.test_rmse, *alone.last.test_rmse, 1e-6 * *alone.last.test_rmse);
    const auto predict = [&](const Model& model) {
      const Predictor predictor(model);
      return coverage(model.calibration, split_.test.value, predictor.predict(split_.test.cells).value,
                      predictor.support(split_.test.cells), 0.9);
    };
    EXPECT_NEAR(predict(found.model).width, predict(alone.model).width, 1e-5 * predict(alone.model).width);
    EXPECT_EQ(predict(found.model).share, predict(alone.model).share);
  }
}

// From a model of all entries, of which each process has some; and of others, whose factors alone are of use.
TEST_F(SharedChoice, GoesOnFromAModel) {
  Settings settings{.method = Method::kTrMm, .ranks = {2}, .lambda = 0.1, .tolerance = 1e-3};
  settings.latent.parts = full_structure(3);
  settings.offsets = OffsetSpec{.mean = true, .effects = {}};
  const FitResult before = fit(split_.train, settings);
  settings.tolerance = 1e-8;
  settings.warm_start = &before.model;
  const FitResult alone = fit(split_.train, settings, {}, &split_.test);
  for (const int processes : {2, 5})
    ThreadGroup(processes).run([&](const Communicator& everyone) {
      FitCallbacks callbacks;
      callbacks.everyone = &everyone;
      callbacks.shared = true;
      Model start = before.model;
      ObservedTensor& dual = std::get<Latent>(*start.body).dual;
      dual = portion(dual, everyone);
      Settings own = settings;
      own.warm_start = &start;
      const FitResult found = fit(portion(split_.train, everyone), own, callbacks, &split_.test);
      EXPECT_NEAR(found.last.objective, alone.last.objective, 1e-10 * alone.last.objective);
      EXPECT_NEAR(*found.last.test_rmse, *alone.last.test_rmse, 1e-6 * *alone.last.test_rmse);
      EXPECT_EQ(found.last.iteration, alone.last.iteration);
    });
}

TEST_F(SharedChoice, RefusesWhatNeedsAllEntries) {
  Settings settings{.method = Method::kTrMm};
  settings.loss = Loss::kHuber;
  EXPECT_THROW((void)fit_on(2, settings), std::invalid_argument);
}

TEST_F(SharedChoice, TuningFindsTheErrorsOfOneProcess) {
  for (const Metric metric : {Metric::kRmse, Metric::kMae}) {
    TuneOptions options{
        .folds = 3, .candidates = {}, .lambdas = {0.1, 1.0, 10.0}, .refinements = 1, .metric = metric};
    Settings settings{.method = Method::kTrMm, .ranks = {2}};
    settings.latent.parts = full_structure(3);
    settings.offsets = OffsetSpec{.mean = true, .effects = {}};
    options.candidates.push_back({.name = "tr-mm", .options = settings});
    options.candidates.push_back({.name = "mean", .options = {.method = Method::kMean}});
    const TuneResult alone = tune(split_.train, options);
    for (const int processes : {2, 5})
      ThreadGroup(processes).run([&](const Communicator& everyone) {
        TuneCallbacks callbacks;
        callbacks.everyone = &everyone;
        callbacks.shared = true;
        const TuneResult found = tune(portion(split_.train, everyone), options, callbacks);
        ASSERT_EQ(found.rows.size(), alone.rows.size());
        EXPECT_EQ(found.best, alone.best);
        for (std::size_t r = 0; r < alone.rows.size(); ++r) {
          EXPECT_EQ(found.rows[r].lambda, alone.rows[r].lambda);
          for (std::size_t fold = 0; fold < 3; ++fold) {
            ASSERT_EQ(found.rows[r].errors[fold].has_value(), alone.rows[r].errors[fold].has_value());
            if (!alone.rows[r].errors[fold]) continue;
            EXPECT_NEAR(*found.rows[r].errors[fold], *alone.rows[r].errors[fold],
                        1e-4 * *alone.rows[r].errors[fold]);
          }
        }
      });
  }
}

}  // namespace
}  // namespace lacuna
