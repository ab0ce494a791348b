// SPDX-License-Identifier: MIT
// What an entry's weight means to a fit: 0 is no entry, 1 is an entry, 2 is the entry twice, and the unit of
// all weights is lambda's.
#include <gtest/gtest.h>

#include <cmath>
#include <lacuna/method/fit_once.hpp>

#include "support/latent_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

const std::vector<Index> kExtents = {8, 7, 6};

// Everything that looks at weights: offsets, marginal parts, weighted norms.
Settings options_of(Method method) {
  std::vector<PartOptions> parts = full_structure(3);
  parts.push_back({.spec = {.mode = 0, .agree = {1}, .row_power = 0.5, .fiber_power = 0.5}});
  return {.method = method,
          .offsets = OffsetSpec{.mean = true, .effects = {{0}, {1, 2}}},
          .ranks = {2},
          .max_iterations = 10,
          .latent = {.parts = parts}};
}

Entries noisy_entries() {
  Rng rng(700);
  return test::entries_of(test::low_rank_tensor(kExtents, 2, 150, 0.3, rng));
}

std::vector<double> predictions(const Entries& entries, const Settings& options,
                                Duplicates duplicates = Duplicates::kError) {
  auto tensor = ObservedTensor::create(test::plain_modes(kExtents), entries, duplicates);
  EXPECT_TRUE(tensor);
  const FitResult result = fit_once(std::move(*tensor), options);
  Rng rng(701);
  return Predictor(result.model).predict(test::random_cells(kExtents, 200, rng)).value;
}

class Weights : public testing::TestWithParam<Method> {
 protected:
  test::WithThreads one_{1};
  Settings options_ = options_of(GetParam());
};

TEST_P(Weights, OfZeroAreNoEntries) {
  const Entries all = noisy_entries();
  Entries zeros = all;
  zeros.weight.assign(all.value.size(), 1.0);
  Entries fewer{.cells = Cells(3), .value = {}, .weight = {}};
  for (std::size_t e = 0; e < all.value.size(); ++e) {
    if (e % 3 == 0) {
      zeros.weight[e] = 0.0;
      zeros.value[e] = 1e6;  // whatever it says
      continue;
    }
    fewer.cells.add(all.cells, e);
    fewer.value.push_back(all.value[e]);
  }
  EXPECT_TRUE(test::same_bits<double>(predictions(zeros, options_), predictions(fewer, options_)));
}

TEST_P(Weights, OfOneAreAsGoodAsNone) {
  const Entries plain = noisy_entries();
  Entries ones = plain;
  ones.weight.assign(plain.value.size(), 1.0);
  EXPECT_TRUE(test::same_bits<double>(predictions(ones, options_), predictions(plain, options_)));
}

TEST_P(Weights, OfEntriesListedTwiceAddUp) {
  Entries once = noisy_entries();
  once.weight.assign(once.value.size(), 1.0);
  Entries twice = once;
  for (std::size_t e = 0; e < once.value.size(); e += 4) {
    once.weight[e] = 2.0;
    twice.cells.add(once.cells, e);
    twice.value.push_back(once.value[e]);
    twice.weight.push_back(1.0);
  }
  EXPECT_TRUE(
      test::same_bits<double>(predictions(twice, options_, Duplicates::kMean), predictions(once, options_)));
}

TEST_P(Weights, HaveTheUnitOfLambda) {
  // w R^2 + 1/(2 lambda) |W|^2: weights c times as large at lambda / c are the same problem, c times as
  // large. With c a power of two not a bit changes.
  Rng rng(702);
  Entries entries = noisy_entries();
  for (std::size_t e = 0; e < entries.value.size(); ++e) entries.weight.push_back(0.25 + rng.uniform());
  options_.offsets =
      OffsetSpec{.mean = true};  // for effects a weight is evidence, of which there is more or less
  options_.lambda = 5.0;
  options_.latent.path = 0;
  const std::vector<double> base = predictions(entries, options_);
  for (const double c : {1.0 / 1024, 1024.0}) {
    Entries other = entries;
    for (double& weight : other.weight) weight *= c;
    Settings same = options_;
    same.lambda = *options_.lambda / c;
    EXPECT_TRUE(test::same_bits<double>(predictions(other, same), base)) << c;
  }
}

TEST_P(Weights, DrawTheFitToHeavyEntries) {
  Entries entries = noisy_entries();
  const auto miss_of_first = [&](double weight) {
    entries.weight.assign(entries.value.size(), 1.0);
    entries.weight[0] = weight;
    Settings options = options_;
    options.lambda = 0.1;
    options.search.early_stop = 0.0;
    options.max_iterations = 3;
    const ObservedTensor tensor = *ObservedTensor::create(test::plain_modes(kExtents), entries);
    const FitResult result = fit_once(tensor, options);
    const auto value = Predictor(result.model).predict(tensor.cells()).value;
    return std::abs(value[0] - tensor.values()[0]);
  };
  EXPECT_LT(miss_of_first(100.0), 0.5 * miss_of_first(1.0));
}

TEST_P(Weights, TrainErrorIsTheWeightedErrorOfThePredictions) {
  Rng rng(703);
  Entries entries = noisy_entries();
  for (std::size_t e = 0; e < entries.value.size(); ++e) entries.weight.push_back(0.25 + rng.uniform());
  const ObservedTensor tensor = *ObservedTensor::create(test::plain_modes(kExtents), entries);
  options_.search.early_stop = 0.0;
  const FitResult result = fit_once(tensor, options_);
  const auto value = Predictor(result.model).predict(tensor.cells()).value;
  double square = 0.0;
  for (std::size_t e = 0; e < value.size(); ++e) {
    const double miss = value[e] - tensor.values()[e];
    square += tensor.weight(static_cast<Count>(e)) * miss * miss;
  }
  EXPECT_NEAR(std::sqrt(square / tensor.total_weight()), result.last.train_rmse, 1e-6);
}

INSTANTIATE_TEST_SUITE_P(Methods, Weights, testing::Values(Method::kTrMm, Method::kTrLs),
                         [](const testing::TestParamInfo<Method>& tested) {
                           return tested.param == Method::kTrMm ? "TrMm" : "TrLs";
                         });

}  // namespace
}  // namespace lacuna
