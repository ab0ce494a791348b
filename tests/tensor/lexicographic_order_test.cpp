// SPDX-License-Identifier: MIT
// The radix sort of entries against the standard library's stable sort.
#include "tensor/lexicographic_order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

constexpr Count kParallelSize =
    200003;  // several stretches of the parallel pass, and no multiple of anything

Cells random_columns(const std::vector<Index>& extents, Count size, Rng& rng) {
  std::vector<std::vector<Index>> columns;
  for (const Index extent : extents) {
    std::vector<Index>& column = columns.emplace_back();
    for (Count e = 0; e < size; ++e) column.push_back(static_cast<Index>(rng.below(extent)));
  }
  return columns;
}

std::vector<Index> reference_order(const Cells& columns, const std::vector<int>& modes) {
  std::vector<Index> order(static_cast<std::size_t>(columns.size()));
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(), [&](Index a, Index b) {
    for (const int mode : modes)
      if (columns[mode][a] != columns[mode][b]) return columns[mode][a] < columns[mode][b];
    return false;
  });
  return order;
}

TEST(LexicographicOrder, EqualsStableSortOnSmallLists) {
  Rng rng(10);
  for (const Count size : {0, 1, 2, 3, 100, 5000}) {
    const Cells columns = random_columns({7, 300, 5000, 2}, size, rng);
    for (const std::vector<int>& modes :
         std::vector<std::vector<int>>{{}, {0}, {2}, {0, 1}, {3, 0}, {2, 1, 0}, {0, 1, 2, 3}})
      EXPECT_EQ(lexicographic_order(columns, modes), reference_order(columns, modes)) << size;
  }
}

// As new entries follow those that a model was fitted on.
TEST(LexicographicOrder, EqualsStableSortWhereAFewFollowOrderedOnes) {
  Rng rng(12);
  for (const Count ordered : {8, 100, 4000})
    for (const Count others : {Count{1}, ordered / 8, ordered / 4}) {
      const Cells all = random_columns({7, 30, 3}, ordered + others, rng);  // many ties: stability shows
      const std::vector<int> modes{0, 2, 1};
      Cells first = all;
      first.keep_first(ordered);
      Cells columns(3);
      for (const Index e : reference_order(first, modes)) columns.add(all, e);
      for (Count e = ordered; e < all.size(); ++e) columns.add(all, e);
      EXPECT_EQ(lexicographic_order(columns, modes), reference_order(columns, modes))
          << ordered << " " << others;
    }
}

TEST(LexicographicOrder, EqualsStableSortOnLargeListsAtAnyThreadCount) {
  Rng rng(11);
  const Cells columns = random_columns({50, 3000, 40}, kParallelSize, rng);  // many ties: stability shows
  for (const std::vector<int>& modes : std::vector<std::vector<int>>{{0}, {2, 0}, {0, 1, 2}}) {
    const std::vector<Index> expected = reference_order(columns, modes);
    for (const int threads : {1, 2, 3, 7}) {
      const test::WithThreads scope(threads);
      EXPECT_EQ(lexicographic_order(columns, modes), expected) << threads << " threads";
    }
  }
}

TEST(LexicographicOrder, HandlesIndicesUpToTheLargest) {
  constexpr Index kHuge = 0xfffffffeU;  // the largest extent: 2^32 - 2, as 2^32 - 1 marks an unseen index
  Rng rng(12);
  Cells columns = random_columns({kHuge, 3, kHuge}, 70000, rng);
  for (Count e = 0; e < 70000; e += 7) columns[0][e] = kHuge - 1 - static_cast<Index>(rng.below(3));
  columns[2][0] = kHuge - 1;
  columns[2][1] = 0;
  for (const std::vector<int>& modes : std::vector<std::vector<int>>{{0}, {0, 1, 2}, {1, 2}})
    EXPECT_EQ(lexicographic_order(columns, modes), reference_order(columns, modes));
}

TEST(LexicographicOrder, LeavesAnOrderedListAlone) {
  const Cells columns = {{0, 0, 0, 1, 1}, {2, 2, 3, 0, 0}};
  EXPECT_EQ(lexicographic_order(columns, std::vector<int>{0, 1}), (std::vector<Index>{0, 1, 2, 3, 4}));
}

}  // namespace
}  // namespace lacuna
