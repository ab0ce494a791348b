// SPDX-License-Identifier: MIT
// Scores of whole blocks against the predictor, cell by cell.
#include "model/block_scorer.hpp"

#include <gtest/gtest.h>

#include "model/body.hpp"
#include "support/links.hpp"
#include "support/random_models.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

constexpr double kRounding =
    1e-11;  // sums of a few hundred products of order one, through transforms for near parts

std::vector<double> naive_row(const Predictor& predictor, const Cells& queries, Count q,
                              const OpenMode& open) {
  Cells cells(queries.order());
  for (const Index position : open.positions) {
    cells.add(queries, q);
    cells[open.mode][static_cast<std::size_t>(cells.size() - 1)] = position;
  }
  return predictor.scores(cells);
}

// Queries at seen and unseen positions.
Cells some_queries(const std::vector<Index>& extents, Rng& rng) {
  Cells queries = test::random_cells(extents, 9, rng);
  queries.add({extents[0], 1, 0});
  queries.add({0, kUnseen, 1});
  queries.add({1, 1, kUnseen});
  return queries;
}

TEST(BlockScorer, EqualsThePredictorForEveryKindOfModelAndMode) {
  Rng rng(7);
  const std::vector<Index> extents{13, 9, 6};
  const ObservedTensor tensor = test::random_tensor(extents, 120, rng, 1.5);
  for (const test::NamedModel& one : test::random_models(tensor, rng)) {
    SCOPED_TRACE(one.name);
    const Predictor predictor(one.model);
    const Cells queries = some_queries(extents, rng);
    for (int open = 0; open < 3; ++open) {
      SCOPED_TRACE(open);
      const BlockScorer scorer(predictor, open, extents[open] + 2);  // two positions that no mode has
      std::vector<double> scores(static_cast<std::size_t>(scorer.room(queries.size())));
      scorer.score(queries, 0, queries.size(), scores);
      for (Count q = 0; q < queries.size(); ++q) {
        const std::vector<double> naive = naive_row(predictor, queries, q, scorer.open());
        for (std::size_t j = 0; j < naive.size(); ++j)
          EXPECT_NEAR(scores[q * scorer.stride() + j], naive[j], kRounding)
              << "query " << q << " position " << j;
      }
    }
  }
}

TEST(BlockScorer, ScoresTheListedPositionsInTheirOrder) {
  Rng rng(8);
  const std::vector<Index> extents{13, 9, 6};
  const ObservedTensor tensor = test::random_tensor(extents, 100, rng, 1.5);
  for (const test::NamedModel& one : test::random_models(tensor, rng)) {
    SCOPED_TRACE(one.name);
    const Predictor predictor(one.model);
    const Cells queries = some_queries(extents, rng);
    const BlockScorer scorer(predictor, 1, std::vector<Index>{8, 2, 5});
    std::vector<double> scores(static_cast<std::size_t>(scorer.room(1)));
    for (Count q = 0; q < queries.size(); ++q) {
      scorer.score(queries, q, q + 1, scores);
      const std::vector<double> naive = naive_row(predictor, queries, q, scorer.open());
      for (std::size_t j = 0; j < 3; ++j) EXPECT_NEAR(scores[j], naive[j], kRounding);
    }
  }
}

TEST(BlockScorer, WhichQueriesAreScoredTogetherChangesNoBit) {
  Rng rng(9);
  const std::vector<Index> extents{13, 9, 6};
  const ObservedTensor tensor = test::random_tensor(extents, 100, rng, 1.5);
  const Cells queries = some_queries(extents, rng);
  for (const test::NamedModel& one : test::random_models(tensor, rng)) {
    SCOPED_TRACE(one.name);
    const Predictor predictor(one.model);
    const BlockScorer scorer(predictor, 0, extents[0]);
    std::vector<double> together(static_cast<std::size_t>(scorer.room(queries.size())));
    std::vector<double> alone(static_cast<std::size_t>(scorer.room(1)));
    scorer.score(queries, 0, queries.size(), together);
    for (Count q = 0; q < queries.size(); ++q) {
      scorer.score(queries, q, q + 1, alone);
      EXPECT_TRUE(test::same_bits(std::span<const double>(alone).first(extents[0]),
                                  std::span<const double>(together).subspan(
                                      static_cast<std::size_t>(q * scorer.stride()), extents[0])));
    }
  }
}

TEST(BlockScorer, LinksAreScoredByTheirLogitOrTheirDirection) {
  Rng rng(505);
  for (const LinkRoles& roles : {LinkRoles{.head = 2, .relation = 0, .tail = 1, .one_set = false},
                                 LinkRoles{.head = 0, .relation = 1, .tail = 2, .one_set = true}}) {
    const std::vector<Index> extents =
        roles.one_set ? std::vector<Index>{7, 4, 7} : std::vector<Index>{4, 6, 8};
    ComplEx x = test::random_complex(extents, roles, 3, rng);
    x.forward = 0.7;
    x.backward = 0.4;
    Model model;
    model.modes = test::plain_modes(extents);
    model.body = ModelBody(x);
    const Predictor predictor(model);
    const Cells queries = test::random_cells({8, 8, 8}, 10, rng);
    for (int mode = 0; mode < 3; ++mode)
      for (const LinksBy by : {LinksBy::kLogit, LinksBy::kDirection}) {
        const bool one_way = by == LinksBy::kDirection && mode != roles.relation;
        const double forward = !one_way ? x.forward : mode == roles.tail ? 1.0 : 0.0;
        const double backward = !one_way ? x.backward : mode == roles.tail ? 0.0 : 1.0;
        const Index positions = extents[mode] + 2;
        const BlockScorer scorer(predictor, mode, positions, by);
        std::vector<double> scores(static_cast<std::size_t>(scorer.room(1)));
        for (Count q = 0; q < queries.size(); ++q) {
          scorer.score(queries, q, q + 1, scores);
          for (Index j = 0; j < positions; ++j) {
            Index at[3] = {queries[0][q], queries[1][q], queries[2][q]};
            at[mode] = j;
            const LinkScore score = link_score(x, at[roles.head], at[roles.relation], at[roles.tail]);
            EXPECT_NEAR(scores[j], forward * score.forward + backward * score.backward, 1e-5);
          }
        }
      }
  }
}

TEST(BlockScorer, RefusesAModeThatDoesNotExist) {
  Rng rng(3);
  const ObservedTensor tensor = test::random_tensor({3, 3, 3}, 9, rng);
  const Model model = test::bare_model(tensor, rng);
  const Predictor predictor(model);
  EXPECT_THROW(BlockScorer(predictor, 3, 4), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
