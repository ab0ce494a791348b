// SPDX-License-Identifier: MIT
// What the judge of all choices promises.
#include "search/evaluator.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "linalg/matrix.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

// Rank 2 and some noise.
ObservedTensor sample() {
  const std::vector<Index> extents{60, 50};
  Rng rng(5);
  const auto left = test::random_matrix<double>(extents[0], 2, rng);
  const auto right = test::random_matrix<double>(extents[1], 2, rng);
  Entries entries{.cells = Cells(2), .value = {}};
  for (Index i = 0; i < extents[0]; ++i)
    for (Index j = 0; j < extents[1]; ++j) {
      if (rng.uniform() > 0.4) continue;
      entries.cells.add({i, j});
      entries.value.push_back(left.row(i).dot(right.row(j)) + 0.05 * rng.normal());
    }
  return std::move(ObservedTensor::create(test::plain_modes(extents), std::move(entries)).value());
}

struct Search {
  Settings asked{};
  FitCallbacks callbacks{};
  Stopwatch watch{};
  ObservedTensor tensor = sample();
  Evaluator evaluator{tensor, asked, callbacks, watch};
};

Settings als_of_steps(int steps) {
  Settings settings{.method = Method::kAls, .offsets = OffsetSpec{.mean = true}, .ranks = {2}};
  settings.latent.parts = std::vector<PartOptions>{{.spec = {.mode = 0, .agree = {1}}}};
  settings.max_iterations = steps;
  settings.tolerance = 1e-9;
  return settings;
}

TEST(Evaluator, FitsNoSettingsTwice) {
  Search search;
  const Trial first = search.evaluator.judge(als_of_steps(3), "three steps");
  const Count applied = search.evaluator.applications();
  const Trial again = search.evaluator.judge(als_of_steps(3), "three steps, by another name");
  EXPECT_EQ(search.evaluator.trials(), 1);
  EXPECT_EQ(search.evaluator.applications(), applied);
  EXPECT_EQ(first.error, again.error);
}

TEST(Evaluator, TheBestIsTheLowestOfAllTrials) {
  Search search;
  const double rough = search.evaluator.judge(als_of_steps(1), "one step").error;
  const double close = search.evaluator.judge(als_of_steps(20), "twenty").error;
  (void)search.evaluator.judge(als_of_steps(2), "two");
  EXPECT_LT(close, 0.9 * rough);
  EXPECT_EQ(search.evaluator.best().error, close);
  EXPECT_EQ(*search.evaluator.best().settings.max_iterations, 20);
}

TEST(Evaluator, WhatIsHeldOutIsNotLearnedFrom) {
  const Search search;
  EXPECT_EQ(search.evaluator.kept().size() + search.evaluator.held().size(), search.tensor.size());
  EXPECT_GT(search.evaluator.held().size(), 0U);
}

// Which factors a walk asks for, where numbers of steps are what is varied.
std::vector<double> walked(int from) {
  Search search;
  Contest contest(search.evaluator);
  contest.consider(als_of_steps(from), "at first");
  std::vector<double> asked_for;
  contest.walk({2.0, 0.5}, [&](double factor) -> std::optional<Candidate> {
    asked_for.push_back(factor);
    Settings other = contest.settings();
    other.max_iterations = static_cast<int>(*other.max_iterations * factor);
    if (*other.max_iterations > 64 || *other.max_iterations < 1) return std::nullopt;
    return Candidate{other, std::to_string(*other.max_iterations) + " steps"};
  });
  return asked_for;
}

TEST(Contest, WalksOnWhileThatHelpsAndNeverBack) {
  const std::vector<double> factors = walked(1);
  EXPECT_GE(factors.size(), 3U);
  for (const double factor : factors) EXPECT_EQ(factor, 2.0);
}

TEST(Contest, WalksTheOtherWayWhereTheFirstDoesNotHelpAtAll) {
  EXPECT_EQ(walked(64), (std::vector<double>{2.0, 0.5}));
}

}  // namespace
}  // namespace lacuna
