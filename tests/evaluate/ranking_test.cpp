// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <algorithm>
#include <lacuna/evaluate/evaluate.hpp>

#include "support/random_bodies.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

TEST(Ranking, CountsWhatScoresHigher) {
  const std::vector<double> scores{0.1, 0.9, 0.5, 0.7};
  EXPECT_EQ(realistic_rank(scores, 1, {}), 1.0);
  EXPECT_EQ(realistic_rank(scores, 0, {}), 4.0);
}

TEST(Ranking, KnownFactsAreLeftOut) {
  const std::vector<double> scores{0.1, 0.9, 0.5, 0.7};
  const std::vector<Index> known{0, 1, 3};
  EXPECT_EQ(realistic_rank(scores, 0, known), 2.0);
}

TEST(Ranking, AConstantScorerRanksInTheMiddle) {
  const std::vector<double> scores(9, 0.3);
  EXPECT_EQ(realistic_rank(scores, 4, {}), 5.0);
}

// A model that is nothing but an effect of the first mode, so every score is known.
TEST(Ranking, FactsOfAModelOfOffsets) {
  Model model;
  model.offsets.effects.push_back(
      {.modes = {0}, .ridge = 1.0, .key = {0, 1, 2, 3}, .value = {4.0, 3.0, 2.0, 1.0}});
  model.modes = {{.name = "a", .size = 4}, {.name = "b", .size = 2}};
  const Predictor predictor(model);
  const std::vector<int> modes{0};
  // (2, 0) and (3, 0) are facts, (0, 0) is known: of 0..3 the fact 2 has only 1 above it, and so has 3.
  const Cells facts{{2, 3}, {0, 0}};
  const Cells known{{0}, {0}};
  const Ranking filtered = rank_facts(predictor, {4, 2}, facts, known, modes);
  EXPECT_EQ(filtered.queries, 2);
  EXPECT_EQ(filtered.mrr, 0.5);
  EXPECT_EQ(filtered.hits1, 0.0);
  EXPECT_EQ(filtered.hits3, 1.0);
  const Ranking fewer = rank_facts(predictor, {4, 2}, facts, {{}, {}}, modes);
  EXPECT_NEAR(fewer.mrr, 1.0 / 3.0, 1e-15);
  // Of five candidates the last is one the model never saw: it scores 0, below all others.
  const Ranking more = rank_facts(predictor, {5, 2}, {{4}, {0}}, {{}, {}}, modes);
  EXPECT_NEAR(more.mrr, 0.2, 1e-15);
}

// Against ranks of single predictions, at any number of threads, with facts enough for several blocks.
TEST(Ranking, IsThatOfThePredictionsCellByCellAtAnyThreadCount) {
  Rng rng(77);
  const std::vector<Index> extents{40, 3, 30};
  Model model;
  model.modes = test::plain_modes(extents);
  model.body = ModelBody(test::random_cp(extents, 3, rng));
  const Cells facts = test::random_cells(extents, 300, rng);
  const Cells known = test::random_cells(extents, 200, rng);
  const std::vector<int> modes{0, 2};
  const Predictor predictor(model);
  Cells all = facts;
  all.append(known);
  double mrr = 0.0;
  for (const int mode : modes)
    for (Count i = 0; i < facts.size(); ++i) {
      Cells line(3);
      for (Index j = 0; j < extents[mode]; ++j) {
        line.add(facts, i);
        line.mode(mode)[j] = j;
      }
      std::vector<Index> others;
      for (Count f = 0; f < all.size(); ++f)
        if (all[1][f] == facts[1][i] && all[2 - mode][f] == facts[2 - mode][i])
          others.push_back(all[mode][f]);
      std::sort(others.begin(), others.end());
      others.erase(std::unique(others.begin(), others.end()), others.end());
      mrr += 1.0 / realistic_rank(predictor.predict(line).value, facts[mode][i], others);
    }
  Ranking first;
  for (const int threads : {1, 2, 3}) {
    const test::WithThreads scope(threads);
    const Ranking found = rank_facts(predictor, extents, facts, known, modes);
    EXPECT_EQ(found.queries, 600);
    EXPECT_NEAR(found.mrr, mrr / 600.0, 1e-12);
    if (threads == 1) first = found;
    EXPECT_EQ(found.mrr, first.mrr);
  }
}

TEST(Ranking, StopsEarlyWithWhatItHas) {
  Rng rng(78);
  Model model;
  model.modes = test::plain_modes({10, 10});
  const Cells facts = test::random_cells({10, 10}, 50, rng);
  int polls = 0;
  const std::vector<int> modes{0, 1};
  const std::vector<int> first{0};
  const Ranking found =
      rank_facts(Predictor(model), {10, 10}, facts, Cells(2), modes, [&] { return ++polls > 1; });
  const Ranking whole = rank_facts(Predictor(model), {10, 10}, facts, Cells(2), first);
  EXPECT_EQ(found.queries, facts.size());
  EXPECT_EQ(found.mrr, whole.mrr);
}

}  // namespace
}  // namespace lacuna
