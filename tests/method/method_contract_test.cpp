// SPDX-License-Identifier: MIT
// What every method owes its users. A method joins by a row in kContracts.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/method/fit_once.hpp>

#include "support/threads.hpp"
#include "support/tucker_tensor.hpp"

namespace lacuna {
namespace {

using test::LatentSplit;
using test::tucker_tensor;

struct Contract {
  Settings options;           // that recover a tensor of multilinear rank 2, and of the method's own defaults
  double recovered = 1e-4;    // relative error on unseen cells of an exact low-rank tensor
  double float_noise = 1e-4;  // the same when the values were rounded to float
  double observed = 0.5;      // share of the cells of those tensors
  bool descends = true;       // or its objective rises and falls
  bool weighs = true;         // or fits every entry exactly, whatever it weighs
  bool penalised = false;     // or has no penalty that a weight or a start could count against
  int order = 0;              // the only one it takes, if not 0

  friend void PrintTo(const Contract& contract, std::ostream* out) { *out << name(*contract.options.method); }
};

Settings at_rank_two(Method method) { return {.method = method, .ranks = {2}}; }

Contract dense(Method method, int order = 0, double observed = 0.7) {
  return {.options = {.method = method},
          .recovered = 1e-2,
          .float_noise = 1e-2,
          .observed = observed,
          .descends = false,
          .weighs = false,
          .order = order};
}

// Near the tensor, not at it: one bound for all of them is too small for some and too large for others.
Contract frank_wolfe() {
  return {.options = {.method = Method::kFfw, .lambda = 6.0},
          .recovered = 0.15,
          .float_noise = 0.05,
          .observed = 0.85};
}

// Near the tensor, too: lambda holds the fit back, and a weight counts against it.
Contract latent_parts(Method method, double lambda) {
  return {.options = {.method = method, .ranks = {2}, .lambda = lambda, .max_iterations = 20},
          .recovered = 3e-2,
          .float_noise = 1e-2,
          .observed = 0.8,
          .penalised = true};
}

// Uncertain of every number, so near the tensor only; a weight counts as that many entries.
Contract alternating() {
  return {.options = {.method = Method::kAls, .ranks = {4}, .max_iterations = 300},
          .recovered = 3e-2,
          .float_noise = 1e-2,
          .observed = 0.8,
          .penalised = true};
}

const std::vector<Contract> kContracts = {
    latent_parts(Method::kTrMm, 100.0),
    latent_parts(Method::kTrLs, 1.0),
    frank_wolfe(),
    alternating(),
    {.options = at_rank_two(Method::kRprecon)},
    {.options = {.method = Method::kBayesCp, .ranks = {8}}, .recovered = 1e-3, .float_noise = 1e-3},
    {.options = at_rank_two(Method::kGeomCg)},
    {.options = at_rank_two(Method::kTopt)},
    dense(Method::kHalrtc),
    dense(Method::kHard),
    dense(Method::kLatent, 0, 0.85),
    dense(Method::kTsvd, 3)};

class MethodContract : public testing::TestWithParam<Contract> {
 protected:
  [[nodiscard]] Settings options() const { return GetParam().options; }
  [[nodiscard]] Settings steps(int count) const {
    Settings few = options();
    few.max_iterations = count;
    return few;
  }
  [[nodiscard]] bool takes_order(int order) const {
    return GetParam().order == 0 || GetParam().order == order;
  }
  [[nodiscard]] bool takes(Setting setting) const { return lacuna::takes(*options().method, setting); }
};

INSTANTIATE_TEST_SUITE_P(Methods, MethodContract, testing::ValuesIn(kContracts), [](const auto& row) {
  std::string title(name(*row.param.options.method));
  std::replace(title.begin(), title.end(), '-', '_');
  return title;
});

double relative_error(const LatentSplit& split, const FitResult& result) {
  return *result.last.test_rmse * std::sqrt(static_cast<double>(split.test.size())) / split.test_norm;
}

const std::vector<Index> kCube = {12, 11, 10};

TEST_P(MethodContract, RecoversAThreeWayTensor) {
  const LatentSplit split = tucker_tensor({20, 20, 20}, {2, 2, 2}, GetParam().observed, 91);
  EXPECT_LT(relative_error(split, fit_once(split.train, options(), {}, &split.test)), GetParam().recovered);
}

TEST_P(MethodContract, RecoversAFourWayTensor) {
  const LatentSplit split = tucker_tensor({10, 10, 10, 10}, {2, 2, 2, 2}, GetParam().observed, 92);
  if (!takes_order(4)) {
    EXPECT_THROW((void)fit_once(split.train, options()), std::invalid_argument);
    return;
  }
  EXPECT_LT(relative_error(split, fit_once(split.train, options(), {}, &split.test)), GetParam().recovered);
}

TEST_P(MethodContract, CompletesAMatrix) {
  const LatentSplit split = tucker_tensor({30, 25}, {2, 2}, GetParam().observed + 0.1, 93);
  if (!takes_order(2)) {
    EXPECT_THROW((void)fit_once(split.train, options()), std::invalid_argument);
    return;
  }
  EXPECT_LT(relative_error(split, fit_once(split.train, options(), {}, &split.test)), GetParam().recovered);
}

TEST_P(MethodContract, ToleratesFloatNoise) {
  LatentSplit split = tucker_tensor({20, 20, 20}, {2, 2, 2}, GetParam().observed, 94);
  std::vector<double> rounded;
  for (const double value : split.train.values())
    rounded.push_back(static_cast<double>(static_cast<float>(value)));
  split.train.replace_values(std::move(rounded));
  EXPECT_LT(relative_error(split, fit_once(split.train, options(), {}, &split.test)), GetParam().float_noise);
}

// Where the objective rises and falls on its way, what the tolerance is compared with has to shrink.
TEST_P(MethodContract, TheObjectiveNeverIncreasesOrItsMeritShrinks) {
  constexpr double kShrunk = 0.1;  // after 40 steps; the dense methods are at 0.001 to 0.03
  Rng rng(95);
  const ObservedTensor tensor = test::low_rank_tensor(kCube, 3, 600, 0.3, rng);
  double last = std::numeric_limits<double>::infinity();
  std::vector<double> merit;
  FitCallbacks callbacks;
  callbacks.progress = [&](const FitProgress& progress) {
    if (GetParam().descends) {
      EXPECT_LE(progress.objective, last + 1e-12 * std::abs(last)) << "step " << progress.iteration;
    }
    EXPECT_TRUE(std::isfinite(progress.objective));
    last = progress.objective;
    if (progress.iteration > 0) merit.push_back(progress.relative_gradient);
    return Flow::kContinue;
  };
  Settings one_stage = steps(40);
  if (takes(kTakesPath)) one_stage.latent.path = 0;  // every stage of a path has an objective of its own
  (void)fit_once(tensor, one_stage, callbacks);
  ASSERT_FALSE(merit.empty());
  if (!GetParam().descends) {
    EXPECT_LT(merit.back(), kShrunk * merit.front());
  }
}

TEST_P(MethodContract, SameBitsAtAnyThreadCountAndForTheSameSeed) {
  Rng rng(96);
  const ObservedTensor tensor = test::low_rank_tensor({60, 50, 40}, 3, 40000, 0.1, rng);
  Settings random = steps(4);
  if (takes(kTakesInit)) random.start = Start::kRandom;
  std::vector<double> first;
  for (const int threads : {1, 2, 3}) {
    const test::WithThreads scope(threads);
    const FitResult result = fit_once(tensor, random);
    const auto value = Predictor(result.model).predict(tensor.cells()).value;
    if (first.empty()) first = value;
    EXPECT_TRUE(test::same_bits<double>(first, value)) << threads << " threads";
  }
}

TEST_P(MethodContract, PredictsTheSameBitsAfterSavingAndLoading) {
  Rng rng(97);
  const ObservedTensor tensor = test::low_rank_tensor(kCube, 2, 400, 0.1, rng);
  const FitResult result = fit_once(tensor, steps(5));
  const std::string path = testing::TempDir() + "method_contract." + std::to_string(getpid()) + ".lac";
  ASSERT_TRUE(save_model(path, result.model));
  const auto loaded = load_model(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(loaded->method, name(*options().method));
  const Cells cells = test::random_cells({13, 12, 11}, 200, rng);
  EXPECT_TRUE(test::same_bits<double>(Predictor(result.model).predict(cells).value,
                                      Predictor(*loaded).predict(cells).value));
}

TEST_P(MethodContract, TrainErrorIsTheErrorOfThePredictions) {
  Rng rng(98);
  const ObservedTensor tensor = test::low_rank_tensor(kCube, 2, 400, 0.5, rng);
  Settings centred = steps(8);
  centred.offsets = OffsetSpec{.mean = true};
  const FitResult result = fit_once(tensor, centred);
  const auto predicted = Predictor(result.model).predict(tensor.cells()).value;
  EXPECT_NEAR(rmse(tensor.values(), predicted), result.last.train_rmse, 1e-8);
}

TEST_P(MethodContract, UnitsDoNotMatter) {
  Rng rng(99);
  const ObservedTensor tensor = test::low_rank_tensor(kCube, 2, 500, 0.2, rng);
  const auto small = Predictor(fit_once(tensor, steps(5)).model).predict(tensor.cells()).value;
  const FitResult scaled = fit_once(test::scaled(tensor, 1024.0), steps(5));  // a power of 2 rounds nothing
  const auto large = Predictor(scaled.model).predict(tensor.cells()).value;
  for (std::size_t i = 0; i < small.size(); ++i) EXPECT_NEAR(large[i] / 1024.0, small[i], 1e-6);
}

TEST_P(MethodContract, EqualWeightsAreNone) {
  if (GetParam().penalised) GTEST_SKIP() << "weights count against lambda: see weights_test.cpp";
  Rng rng(100);
  const ObservedTensor tensor = test::low_rank_tensor(kCube, 2, 500, 0.2, rng);
  Entries entries = test::entries_of(tensor);
  entries.weight.assign(entries.value.size(), 4.0);
  const ObservedTensor weighted = *ObservedTensor::create(tensor.modes(), entries);
  const auto plain = Predictor(fit_once(tensor, steps(5)).model).predict(tensor.cells()).value;
  const auto heavy = Predictor(fit_once(weighted, steps(5)).model).predict(tensor.cells()).value;
  for (std::size_t i = 0; i < plain.size(); ++i) EXPECT_NEAR(heavy[i], plain[i], 1e-6);
}

TEST_P(MethodContract, AHeavyEntryIsFittedBetter) {
  if (!GetParam().weighs) GTEST_SKIP() << "every entry is fitted exactly";
  if (GetParam().penalised)
    GTEST_SKIP() << "at this lambda every entry is fitted closely: see weights_test.cpp";
  Rng rng(101);
  const ObservedTensor tensor = test::low_rank_tensor(kCube, 3, 500, 1.0, rng);
  Entries entries = test::entries_of(tensor);
  entries.weight.assign(entries.value.size(), 1.0);
  entries.weight[7] = 1e4;
  const ObservedTensor weighted = *ObservedTensor::create(tensor.modes(), entries);
  const auto error = [&](const FitResult& result) {
    return std::abs(Predictor(result.model).predict(tensor.cells()).value[7] - tensor.values()[7]);
  };
  EXPECT_LT(error(fit_once(weighted, options())), 0.1 * error(fit_once(tensor, options())));
}

TEST_P(MethodContract, StopsOnTheCallbacksWord) {
  Rng rng(102);
  const ObservedTensor tensor = test::low_rank_tensor(kCube, 3, 600, 0.3, rng);
  FitCallbacks callbacks;
  callbacks.progress = [](const FitProgress& progress) {
    return progress.iteration >= 2 ? Flow::kStop : Flow::kContinue;
  };
  const FitResult result = fit_once(tensor, options(), callbacks);
  EXPECT_EQ(result.stop_reason, "interrupted");
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(result.last.iteration, 2);
  for (const double value : Predictor(result.model).predict(tensor.cells()).value)
    EXPECT_TRUE(std::isfinite(value));
}

TEST_P(MethodContract, StopsInsideAStepAndAtTheTimeLimit) {
  Rng rng(103);
  const ObservedTensor tensor = test::low_rank_tensor(kCube, 3, 600, 0.3, rng);
  int polls = 0;
  FitCallbacks callbacks;
  callbacks.interrupted = [&] { return ++polls > 5; };
  EXPECT_EQ(fit_once(tensor, options(), callbacks).reason, StopReason::kStopped);
  Settings hasty = options();
  hasty.max_time = 1e-9;
  EXPECT_EQ(fit_once(tensor, hasty).stop_reason, "time limit reached");
}

TEST_P(MethodContract, ConstantDataSingleEntriesAndUnseenPositionsGiveFiniteAnswers) {
  Settings centred = options();
  centred.offsets = OffsetSpec{.mean = true};
  if (!takes_order(2)) GTEST_SKIP() << "not of matrices";
  const Entries constant{.cells = {{0, 1, 2}, {0, 1, 2}}, .value = {4.0, 4.0, 4.0}};
  const auto tensor = ObservedTensor::create(test::plain_modes({3, 3}), constant);
  const FitResult flat = fit_once(*tensor, centred);
  for (const double value : Predictor(flat.model).predict({{0, 1, 2}, {1, 2, 0}}).value)
    EXPECT_NEAR(value, 4.0, 1e-9);
  const auto one = ObservedTensor::create(test::plain_modes({3, 3}), {.cells = {{0}, {0}}, .value = {2.0}});
  const FitResult single = fit_once(*one, options());
  for (const double value : Predictor(single.model).predict({{0, 1, 2}, {0, 2, 1}}).value)
    EXPECT_TRUE(std::isfinite(value));
}

TEST_P(MethodContract, RefusesWhatItCannotDo) {
  Rng rng(104);
  const ObservedTensor tensor = test::low_rank_tensor({6, 6, 6}, 1, 50, 0.1, rng);
  const auto refused = [&](auto&& change) {
    Settings changed = options();
    change(changed);
    EXPECT_THROW((void)fit_once(tensor, changed), std::invalid_argument);
  };
  if (takes(kTakesRank)) {
    refused([](Settings& o) { o.ranks = {0}; });
    refused([](Settings& o) { o.ranks = {1, 2}; });
  }
  if (!takes(kTakesLambda)) refused([](Settings& o) { o.lambda = 3.0; });
  if (!takes(kTakesParts)) refused([](Settings& o) { o.latent.parts = full_structure(3); });
  if (!takes(kTakesPrecision)) refused([](Settings& o) { o.latent.precision = Precision::kFloat; });
  if (!takes(kTakesEarlyStop)) refused([](Settings& o) { o.search.early_stop = 0.1; });
  if (!takes(kTakesOptimizer)) refused([](Settings& o) { o.latent.optimizer = Optimizer::kNonlinearCg; });
  EXPECT_THROW((void)fit_once(ObservedTensor{}, options()), std::invalid_argument);
}

TEST_P(MethodContract, WarmStartFromItsOwnModelNeedsHardlyAnyStep) {
  if (!takes(kTakesInit)) GTEST_SKIP() << "no starting point to give";
  if (GetParam().penalised) GTEST_SKIP() << "at another lambda: see fit_test.cpp";
  Rng rng(105);
  const ObservedTensor tensor = test::low_rank_tensor(kCube, 2, 600, 0.1, rng);
  const FitResult cold = fit_once(tensor, options());
  Settings from = options();
  from.warm_start = &cold.model;
  const FitResult warm = fit_once(tensor, from);
  EXPECT_LE(warm.last.objective, cold.last.objective * (1 + 1e-9));
  EXPECT_LT(warm.last.iteration, std::max(5, cold.last.iteration / 4));
}

}  // namespace
}  // namespace lacuna
