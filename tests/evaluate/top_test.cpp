// SPDX-License-Identifier: MIT
// Top lists against sorting every cell.
#include <gtest/gtest.h>

#include <algorithm>
#include <lacuna/evaluate/top.hpp>
#include <numeric>
#include <set>

#include "support/random_models.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using Cell = std::vector<Index>;

const std::vector<Index> kExtents{8, 7, 5};

std::vector<Cell> cells_of(const Cells& cells, Count first, Count last) {
  std::vector<Cell> found;
  for (Count i = first; i < last; ++i) {
    found.emplace_back();
    for (int k = 0; k < cells.order(); ++k) found.back().push_back(cells[k][i]);
  }
  return found;
}

bool has(const std::vector<int>& modes, int mode) {
  return std::find(modes.begin(), modes.end(), mode) != modes.end();
}

// Every cell the query leaves open and that is not excluded, sorted.
std::vector<Cell> naive_top(const Predictor& predictor, const Cells& queries, Count q,
                            const TopOptions& options) {
  std::set<Cell> excluded;
  for (Cell cell : cells_of(options.excluded, 0, options.excluded.size())) {
    for (const int mode : options.either) cell[mode] = kUnseen;
    excluded.insert(cell);
  }
  Cells open(3);
  for (Index i = 0; i < 8 * 7 * 5; ++i) {
    Cell cell = test::cell_of(i, kExtents);
    bool wanted = true;
    for (int k = 0; k < 3; ++k) {
      if (has(options.open, k)) continue;
      wanted = wanted && cell[k] == 0;  // one cell for each choice of the open positions
      cell[k] = has(options.either, k) ? kUnseen : queries[k][q];
    }
    if (wanted && excluded.count(cell) == 0) open.add(cell);
  }
  const std::vector<double> scores = predictor.scores(open);
  std::vector<Count> order(scores.size());
  std::iota(order.begin(), order.end(), Count{0});
  std::stable_sort(order.begin(), order.end(), [&](Count a, Count b) {
    return options.lowest ? scores[a] < scores[b] : scores[a] > scores[b];
  });
  std::vector<Cell> best;
  const std::vector<Cell> all = cells_of(open, 0, open.size());
  for (const Count i : order)
    if (static_cast<int>(best.size()) < options.count) best.push_back(all[i]);
  return best;
}

TEST(Top, EqualsSortingEveryCell) {
  Rng rng(11);
  const ObservedTensor tensor = test::random_tensor(kExtents, 60, rng);
  const Cells queries = test::random_cells(kExtents, 12, rng);
  const std::vector<TopOptions> questions = {
      {.open = {1}, .count = 4},
      {.open = {0}, .count = 3, .lowest = true, .excluded = tensor.cells()},
      {.open = {2}, .either = {0}, .count = 100, .excluded = tensor.cells()},
      {.open = {1, 0}, .count = 9, .excluded = tensor.cells()},
      {.open = {0, 2, 1}, .count = 50, .lowest = true, .excluded = tensor.cells()},
      {.open = {1}, .either = {0, 2}, .count = 7}};
  for (const test::NamedModel& one : test::random_models(tensor, rng)) {
    SCOPED_TRACE(one.name);
    const Predictor predictor(one.model);
    for (std::size_t i = 0; i < questions.size(); ++i) {
      SCOPED_TRACE(i);
      const TopLists lists = TopFinder(predictor, questions[i]).find(queries);
      ASSERT_EQ(static_cast<Count>(lists.start.size()), queries.size() + 1);
      for (Count q = 0; q < queries.size(); ++q)
        EXPECT_EQ(cells_of(lists.cells, lists.start[q], lists.start[q + 1]),
                  naive_top(predictor, queries, q, questions[i]));
      EXPECT_EQ(lists.value, predictor.predict(lists.cells).value);
    }
  }
}

TEST(Top, CandidatesAreAllThereIs) {
  Rng rng(12);
  const ObservedTensor tensor = test::random_tensor(kExtents, 60, rng);
  const Model model = test::bare_model(tensor, rng);
  const Predictor predictor(model);
  TopOptions options{.open = {0, 1}, .count = 50, .candidates = {{3, 1, 1}, {}}};
  const TopLists lists = TopFinder(predictor, options).find({{0}, {0}, {2}});
  EXPECT_EQ(lists.cells.size(), 2 * 7);
  for (Count i = 0; i < lists.cells.size(); ++i) {
    EXPECT_TRUE(lists.cells[0][i] == 1 || lists.cells[0][i] == 3);
    EXPECT_EQ(lists.cells[2][i], 2);
  }
}

TEST(Top, TiesStandInTheOrderOfTheirPositions) {
  Model model;
  model.modes = test::plain_modes({3, 30});
  model.offsets.mean = 1.0;
  const Predictor predictor(model);
  for (const bool lowest : {false, true}) {
    const TopLists lists = TopFinder(predictor, {.open = {1}, .count = 5, .lowest = lowest}).find({{2}, {0}});
    EXPECT_EQ(cells_of(lists.cells, 0, 5), (std::vector<Cell>{{2, 0}, {2, 1}, {2, 2}, {2, 3}, {2, 4}}));
  }
}

TEST(Top, OrderGoesByTheScoreBehindTheClippedValue) {
  Model model;
  model.modes = test::plain_modes({2, 4});
  model.offsets.effects.push_back({.modes = {1}, .key = {0, 1, 2, 3}, .value = {6.0, 9.0, 7.0, 1.0}});
  model.clip = Range{.low = 0.0, .high = 5.0};
  const Predictor predictor(model);
  const TopLists lists = TopFinder(predictor, {.open = {1}, .count = 3}).find({{0}, {0}});
  EXPECT_EQ(cells_of(lists.cells, 0, 3), (std::vector<Cell>{{0, 1}, {0, 2}, {0, 0}}));
  EXPECT_EQ(lists.value, (std::vector<double>{5.0, 5.0, 5.0}));
}

TEST(Top, ThreadsChangeNoBit) {
  Rng rng(13);
  const ObservedTensor tensor = test::random_tensor(kExtents, 60, rng);
  const Cells queries = test::random_cells(kExtents, 100, rng);
  for (const test::NamedModel& one : test::random_models(tensor, rng)) {
    const Predictor predictor(one.model);
    const TopFinder finder(predictor, {.open = {0, 1}, .count = 6});
    TopLists alone;
    {
      const test::WithThreads threads(1);
      alone = finder.find(queries);
    }
    const test::WithThreads threads(4);
    const TopLists together = finder.find(queries);
    EXPECT_EQ(alone.cells, together.cells) << one.name;
    EXPECT_TRUE(
        test::same_bits(std::span<const double>(alone.value), std::span<const double>(together.value)));
  }
}

TEST(Top, StopsWhenInterrupted) {
  Model model;
  model.modes = test::plain_modes({3, 30});
  const Predictor predictor(model);
  const TopLists lists = TopFinder(predictor, {.open = {1}}).find({{0, 1}, {0, 0}}, [] { return true; });
  EXPECT_EQ(lists.start.size(), 1);
}

TEST(Top, RefusesQuestionsThatMakeNoSense) {
  Model model;
  model.modes = test::plain_modes({3, 4});
  const Predictor predictor(model);
  const auto ask = [&](TopOptions options) {
    return TopFinder(predictor, std::move(options)).find({{0}, {0}});
  };
  EXPECT_THROW((void)ask({}), std::invalid_argument);
  EXPECT_THROW((void)ask({.open = {2}}), std::invalid_argument);
  EXPECT_THROW((void)ask({.open = {1}, .either = {1}}), std::invalid_argument);
  EXPECT_THROW((void)ask({.open = {1}, .count = 0}), std::invalid_argument);
  EXPECT_THROW((void)ask({.open = {1}, .candidates = {{4}}}), std::invalid_argument);
  EXPECT_THROW((void)ask({.open = {1}, .candidates = {{1}, {1}}}), std::invalid_argument);
  EXPECT_THROW((void)ask({.open = {1}, .excluded = Cells{{0}, {0}, {0}}}), std::invalid_argument);
  EXPECT_THROW((void)TopFinder(predictor, {.open = {1}}).find({{0}, {0}, {0}}), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
