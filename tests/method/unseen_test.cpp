// SPDX-License-Identifier: MIT
// What every method says of cells at positions that it saw nothing of.
#include <gtest/gtest.h>

#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/method/fit_once.hpp>

#include "base/rng.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

constexpr std::vector<Index>::size_type kOrder = 3;
const std::vector<Index> kExtents = {9, 8, 7};
constexpr Index kEmpty = 4;  // position of the first mode that has no entry
constexpr double kLevel = 20.0;

// A level, large effects of the positions, and a little that is neither.
double value_at(Index i, Index j, Index k) {
  return kLevel + 2.0 * std::sin(2.0 * i) + 3.0 * std::cos(1.3 * j) + 1.5 * std::sin(0.9 * k) +
         0.3 * std::sin(i * j + 0.7 * k);
}

ObservedTensor observed() {
  Rng rng(77);
  Entries entries{.cells = Cells(static_cast<int>(kOrder)), .value = {}};
  for (Index i = 0; i < kExtents[0]; ++i)
    for (Index j = 0; j < kExtents[1]; ++j)
      for (Index k = 0; k < kExtents[2]; ++k) {
        if (i == kEmpty || rng.uniform() > 0.7) continue;
        entries.cells.add({i, j, k});
        entries.value.push_back(value_at(i, j, k));
      }
  return std::move(*ObservedTensor::create(test::plain_modes(kExtents), std::move(entries)));
}

// The empty slice, a position beyond the mode, and one that no mode has; beside them cells that are known.
Entries unseen_cells() {
  Entries list{.cells = Cells(static_cast<int>(kOrder)), .value = {}};
  for (Index j = 0; j < kExtents[1]; ++j)
    for (Index k = 0; k < kExtents[2]; ++k) {
      list.cells.add({(j + k) % 3 == 0 ? kEmpty : (j + k) % 3 == 1 ? kExtents[0] + 2 : kUnseen, j, k});
      list.value.push_back(value_at(kEmpty, j, k));
    }
  return list;
}

class Unseen : public testing::TestWithParam<Method> {
 protected:
  [[nodiscard]] Settings options() const {
    Settings options{.method = GetParam()};
    if (takes(GetParam(), kTakesSteps)) options.max_iterations = 10;
    if (takes(GetParam(), kTakesRank)) options.ranks = {2};
    return options;
  }
  [[nodiscard]] bool has_a_body() const { return info(GetParam()).model != "offsets"; }
};

TEST_P(Unseen, NeverZeroButTheEffectsOfKnownPositions) {
  std::vector<OffsetSpec> specs = {OffsetSpec{}, OffsetSpec{.mean = true}, main_effects(3)};
  if (!has_a_body()) specs.erase(specs.begin());
  for (const OffsetSpec& spec : specs) {
    Settings settings = options();
    if (GetParam() == Method::kMean && !spec.effects.empty()) continue;
    settings.offsets = spec;
    const Entries cells = unseen_cells();
    const FitResult result = fit_once(observed(), settings);
    const auto prediction = Predictor(result.model).predict(cells.cells);
    const bool only_a_mean = !has_a_body() && spec.effects.empty();  // which knows no positions
    EXPECT_EQ(prediction.first_unseen_mode, 0);
    if (!only_a_mean) {
      EXPECT_EQ(prediction.unseen, cells.size());
      EXPECT_EQ(prediction.first_unseen_cell, 0);
    }
    const double mean = observed().mean();
    const double of_the_mean = rmse(cells.value, std::vector<double>(cells.value.size(), mean));
    EXPECT_LT(rmse(cells.value, prediction.value), only_a_mean ? 1.001 * of_the_mean : 0.8 * of_the_mean)
        << describe(spec, test::plain_modes(kExtents));
    for (const double value : prediction.value) EXPECT_GT(value, 0.5 * kLevel);
  }
}

TEST_P(Unseen, TheFitMeasuresWhatTheModelWillSay) {
  const Entries test = unseen_cells();
  for (const bool with_mean : {false, true}) {
    if (!with_mean && !has_a_body()) continue;
    Settings settings = options();
    settings.offsets = OffsetSpec{.mean = with_mean};
    const FitResult result = fit_once(observed(), settings, {}, &test);
    EXPECT_NEAR(*result.last.test_rmse, rmse(test.value, Predictor(result.model).predict(test.cells).value),
                1e-4 * kLevel);
  }
}

TEST_P(Unseen, AllUnknownIsTheMean) {
  if (!has_a_body()) GTEST_SKIP() << "its offsets are all it says";
  Settings settings = options();
  settings.offsets = OffsetSpec{};
  const FitResult result = fit_once(observed(), settings);
  const double said = Predictor(result.model).predict({{kUnseen}, {kUnseen}, {kUnseen}}).value[0];
  EXPECT_NEAR(said, observed().mean(), 1e-9 * kLevel);
}

std::vector<Method> all_methods() {
  std::vector<Method> list;
  for (const MethodInfo& row : methods())
    if (row.method != Method::kComplEx) list.push_back(row.method);  // of links: complex_test.cpp
  return list;
}

INSTANTIATE_TEST_SUITE_P(Methods, Unseen, testing::ValuesIn(all_methods()), [](const auto& one) {
  std::string text(name(one.param));
  std::erase(text, '-');
  return text;
});

}  // namespace
}  // namespace lacuna
