// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <lacuna/evaluate/ranking.hpp>

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

}  // namespace
}  // namespace lacuna
