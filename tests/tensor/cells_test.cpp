// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <lacuna/tensor/tensor.hpp>
#include <stdexcept>

namespace lacuna {
namespace {

std::vector<Index> positions(const Cells& cells, int mode) {
  return {cells.mode(mode).begin(), cells.mode(mode).end()};
}

TEST(Cells, KnowTheirOrderAndSize) {
  const Cells cells = {{0, 4}, {1, 5}, {2, 6}};
  EXPECT_EQ(cells.order(), 3);
  EXPECT_EQ(cells.size(), 2);
  EXPECT_EQ(positions(cells, 1), (std::vector<Index>{1, 5}));
  EXPECT_EQ(cells[2][1], 6U);
  EXPECT_EQ(Cells(4).order(), 4);
  EXPECT_EQ(Cells(4).size(), 0);
  EXPECT_EQ(Cells().order(), 0);
}

TEST(Cells, RaggedListsAreRefused) {
  EXPECT_THROW(Cells({{0, 1}, {0}}), std::invalid_argument);
  EXPECT_THROW(Cells(std::vector<std::vector<Index>>{{0}, {0}, {}}), std::invalid_argument);
  EXPECT_THROW(Cells(-1), std::invalid_argument);
}

TEST(Cells, CellsOfAnotherOrderAreNotAdded) {
  Cells cells(2);
  EXPECT_THROW(cells.add({1}), std::invalid_argument);
  EXPECT_THROW(cells.add({1, 2, 3}), std::invalid_argument);
  EXPECT_THROW(cells.append({{0}, {0}, {0}}), std::invalid_argument);
  EXPECT_THROW(cells.add(Cells{{0}}, 0), std::invalid_argument);
  EXPECT_EQ(cells, Cells(2));
}

TEST(Cells, GrowAndShrinkWhole) {
  Cells cells(2);
  cells.add({3, 1});
  cells.add(Cells{{7, 8}, {9, 6}}, 1);
  cells.append({{5}, {2}});
  EXPECT_EQ(cells, (Cells{{3, 8, 5}, {1, 6, 2}}));
  cells.keep_first(1);
  EXPECT_EQ(cells, (Cells{{3}, {1}}));
}

TEST(Cells, ModesCanBeInAnotherOrder) {
  Cells cells = {{0, 1}, {2, 3}, {4, 5}};
  EXPECT_EQ(cells.reordered(std::vector<int>{2, 0}), (Cells{{4, 5}, {0, 1}}));
  EXPECT_EQ(cells.take(), (std::vector<std::vector<Index>>{{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(cells.order(), 0);
}

}  // namespace
}  // namespace lacuna
