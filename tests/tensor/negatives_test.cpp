// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <lacuna/tensor/tensor.hpp>
#include <set>

#include "base/rng.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

ObservedTensor facts() {
  Rng rng(5);
  ObservedTensor tensor = test::random_tensor({20, 15, 3}, 120, rng);
  tensor.replace_values(std::vector<double>(static_cast<std::size_t>(tensor.size()), 1.0));
  return tensor;
}

std::vector<Index> cell(const ObservedTensor& tensor, Count e) {
  return {tensor.index(0)[e], tensor.index(1)[e], tensor.index(2)[e]};
}

TEST(Negatives, AreZerosThatDifferFromAFactInOneOfTheModes) {
  const ObservedTensor positive = facts();
  std::set<std::vector<Index>> known;
  for (Count e = 0; e < positive.size(); ++e) known.insert(cell(positive, e));
  const std::vector<int> modes{0, 1};
  const ObservedTensor both = with_negatives(positive, modes, 2, 1);
  EXPECT_GT(both.size(), 2 * positive.size());
  EXPECT_LE(both.size(), 3 * positive.size());
  Count ones = 0;
  for (Count e = 0; e < both.size(); ++e) {
    const std::vector<Index> at = cell(both, e);
    if (both.values()[e] == 1.0) {
      ++ones;
      EXPECT_TRUE(known.contains(at));
      continue;
    }
    EXPECT_EQ(both.values()[e], 0.0);
    EXPECT_FALSE(known.contains(at));
    const bool near = std::any_of(known.begin(), known.end(), [&](const std::vector<Index>& fact) {
      return fact[2] == at[2] && (fact[0] == at[0]) != (fact[1] == at[1]);
    });
    EXPECT_TRUE(near);
  }
  EXPECT_EQ(ones, positive.size());
}

TEST(Negatives, AFullFiberHasNone) {
  Entries entries{.cells = {{0, 1, 2}, {0, 0, 0}}, .value = {1, 1, 1}};
  const auto tensor = ObservedTensor::create({{.name = "a", .size = 3}, {.name = "b", .size = 1}}, entries);
  const std::vector<int> modes{0};
  EXPECT_EQ(with_negatives(*tensor, modes, 1, 1).size(), 3);
}

TEST(Negatives, SameSeedSameCells) {
  const std::vector<int> modes{0, 1};
  EXPECT_EQ(with_negatives(facts(), modes, 1, 9).cells(), with_negatives(facts(), modes, 1, 9).cells());
  EXPECT_NE(with_negatives(facts(), modes, 1, 9).cells(), with_negatives(facts(), modes, 1, 10).cells());
}

}  // namespace
}  // namespace lacuna
