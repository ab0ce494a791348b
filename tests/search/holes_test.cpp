// SPDX-License-Identifier: MIT
// What is held out looks like what is missing.
#include "search/holes.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

// A cube whose cell is observed when `observed` says so.
ObservedTensor cube(const std::vector<Index>& shape,
                    const std::function<bool(Index, Index, Index)>& observed) {
  Entries entries{.cells = Cells(3), .value = {}};
  for (Index i = 0; i < shape[0]; ++i)
    for (Index j = 0; j < shape[1]; ++j)
      for (Index k = 0; k < shape[2]; ++k) {
        if (!observed(i, j, k)) continue;
        entries.cells.add({i, j, k});
        entries.value.push_back(1.0);
      }
  return *ObservedTensor::create(test::plain_modes(shape), std::move(entries));
}

// A table of random bits, one for each pair of positions.
std::vector<std::vector<bool>> pairs(Index first, Index second, double share, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<std::vector<bool>> table(first, std::vector<bool>(second));
  for (auto& row : table)
    for (auto&& one : row) one = rng.uniform() < share;
  return table;
}

std::set<std::pair<Index, Index>> pairs_of(const Cells& index, int a, int b) {
  std::set<std::pair<Index, Index>> found;
  for (std::size_t e = 0; e < index[0].size(); ++e) found.insert({index[a][e], index[b][e]});
  return found;
}

void expect_apart(const HoldOut& split, int a, int b) {
  const auto kept = pairs_of(split.kept.cells(), a, b);
  for (const auto& pair : pairs_of(split.held.cells, a, b)) EXPECT_FALSE(kept.contains(pair));
}

TEST(Holes, PixelsThatLoseAllChannelsAreHeldOutWhole) {
  const auto there = pairs(30, 25, 0.1, 600);
  const ObservedTensor tensor = cube({30, 25, 3}, [&](Index i, Index j, Index) { return there[i][j]; });
  const std::vector<HoleKind> kinds = hole_kinds(tensor);
  ASSERT_EQ(kinds.size(), 1U);
  EXPECT_EQ(kinds[0].fixed, (std::vector<int>{0, 1}));
  EXPECT_FALSE(kinds[0].clustered);
  const auto split = hold_out_like_holes(tensor, 0.2, 1);
  ASSERT_TRUE(split);
  expect_apart(*split, 0, 1);
}

TEST(Holes, DeadLinesInAnOtherwiseCompleteCubeAreLines) {
  const auto dead = pairs(40, 12, 0.04, 601);
  const ObservedTensor tensor = cube({40, 30, 12}, [&](Index i, Index, Index k) { return !dead[i][k]; });
  const std::vector<HoleKind> kinds = hole_kinds(tensor);
  ASSERT_EQ(kinds.size(), 1U);
  EXPECT_EQ(kinds[0].fixed, (std::vector<int>{0, 2}));
  const auto split = hold_out_like_holes(tensor, 0.1, 1);
  ASSERT_TRUE(split);
  expect_apart(*split, 0, 2);
  EXPECT_NEAR(static_cast<double>(split->held.size()) / static_cast<double>(tensor.size()), 0.1, 0.05);
}

TEST(Holes, AMixtureHasItsShares) {
  const auto lost = pairs(40, 30, 0.3, 602);
  Rng rng(603);
  const ObservedTensor tensor =
      cube({40, 30, 24}, [&](Index i, Index j, Index) { return !lost[i][j] && rng.uniform() > 0.3; });
  const std::vector<HoleKind> kinds = hole_kinds(tensor);  // 0.3 of the cells in lines, 0.7 * 0.3 alone
  ASSERT_EQ(kinds.size(), 2U);
  EXPECT_EQ(kinds[0].fixed, (std::vector<int>{0, 1}));
  EXPECT_NEAR(kinds[0].share, 0.3 / 0.51, 0.06);
  EXPECT_EQ(kinds[1].fixed.size(), 3U);
}

TEST(Holes, BlocksAreClusters) {
  const ObservedTensor tensor = cube({60, 60, 2}, [&](Index i, Index j, Index) {
    return i / 12 % 2 == 0 || j / 12 % 2 == 0;  // a quarter of the pixels lost, in blocks of 12 x 12
  });
  const std::vector<HoleKind> kinds = hole_kinds(tensor);
  ASSERT_EQ(kinds.size(), 1U);
  EXPECT_TRUE(kinds[0].clustered);
  const auto split = hold_out_like_holes(tensor, 0.1, 1);
  ASSERT_TRUE(split);
  expect_apart(*split, 0, 1);
  // Most held-out pixels have a held-out neighbour.
  const auto held = pairs_of(split->held.cells, 0, 1);
  int beside = 0;
  for (const auto& [i, j] : held) beside += held.contains({i + 1, j}) || held.contains({i - 1, j}) ? 1 : 0;
  EXPECT_GT(beside, 0.8 * static_cast<double>(held.size()));
}

TEST(Holes, ScatteredAndSparseEntriesGoAlone) {
  Rng rng(604);
  for (const Count size : {60, 4000}) {
    const ObservedTensor tensor = test::random_tensor({30, 20, 15}, size, rng);
    const std::vector<HoleKind> kinds = hole_kinds(tensor);
    ASSERT_EQ(kinds.size(), 1U) << size;
    EXPECT_EQ(kinds[0].fixed.size(), 3U);
    EXPECT_FALSE(kinds[0].clustered);
    const auto split = hold_out_like_holes(tensor, 0.3, 1);
    ASSERT_TRUE(split);
    EXPECT_EQ(split->kept.size() + split->held.size(), size);
  }
}

TEST(Holes, NothingIsHeldOutOfOneEntry) {
  Rng rng(605);
  EXPECT_FALSE(hold_out_like_holes(test::random_tensor({3, 4}, 1, rng), 0.5, 1));
}

TEST(Holes, FoldsDealWholeGroups) {
  const auto there = pairs(20, 20, 0.3, 606);
  const ObservedTensor tensor = cube({20, 20, 4}, [&](Index i, Index j, Index) { return there[i][j]; });
  const std::vector<int> fold = fold_of_entries(tensor, 5, 1);
  std::vector<int> count(5, 0);
  for (Count e = 0; e < tensor.size(); ++e) ++count[fold[e]];
  for (Count e = 1; e < tensor.size(); ++e) {
    if (tensor.index(0)[e] == tensor.index(0)[e - 1] && tensor.index(1)[e] == tensor.index(1)[e - 1]) {
      EXPECT_EQ(fold[e], fold[e - 1]);
    }
  }
  for (const int one : count) EXPECT_NEAR(one, static_cast<double>(tensor.size()) / 5.0, 8.0);
  EXPECT_THROW((void)fold_of_entries(tensor, 100000, 1), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
