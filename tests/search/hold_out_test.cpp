// SPDX-License-Identifier: MIT
// What is held out together.
#include "search/hold_out.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

// Pixels of a picture of three channels: all channels of a pixel are there, or none.
ObservedTensor picture() {
  Rng rng(600);
  Entries entries{.index = std::vector<std::vector<Index>>(3), .value = {}};
  for (Index row = 0; row < 12; ++row)
    for (Index column = 0; column < 10; ++column) {
      if (rng.uniform() < 0.5) continue;
      for (Index channel = 0; channel < 3; ++channel) {
        entries.index[0].push_back(row);
        entries.index[1].push_back(column);
        entries.index[2].push_back(channel);
        entries.value.push_back(rng.normal());
      }
    }
  return *ObservedTensor::create(
      {{.name = "row", .size = 12}, {.name = "column", .size = 10}, {.name = "channel", .size = 3}},
      std::move(entries));
}

TEST(HoldOut, CompleteFibersGoTogether) {
  const ObservedTensor tensor = picture();
  const HoldOutUnits units = hold_out_units(tensor);
  EXPECT_EQ(static_cast<Count>(units.count) * 3, tensor.size());
  const auto split = hold_out(tensor, 0.2, 1);
  ASSERT_TRUE(split);
  std::set<std::pair<Index, Index>> kept;
  for (Count e = 0; e < split->kept.size(); ++e)
    kept.insert({split->kept.index(0)[e], split->kept.index(1)[e]});
  EXPECT_GT(split->held.size(), 0);
  for (Count e = 0; e < split->held.size(); ++e)
    EXPECT_FALSE(kept.contains({split->held.index[0][e], split->held.index[1][e]}));
}

TEST(HoldOut, ScatteredEntriesGoAlone) {
  Rng rng(601);
  const ObservedTensor tensor = test::random_tensor({6, 5, 4}, 50, rng);
  EXPECT_EQ(static_cast<Count>(hold_out_units(tensor).count), tensor.size());
  const auto split = hold_out(tensor, 0.3, 1);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->kept.size() + split->held.size(), tensor.size());
}

TEST(HoldOut, ACompleteTensorGoesEntryByEntry) {
  Rng rng(602);
  const ObservedTensor tensor = test::random_tensor({3, 4}, 12, rng);
  EXPECT_EQ(hold_out_units(tensor).count, 12);
}

TEST(HoldOut, NothingIsHeldOutOfOneEntry) {
  Rng rng(603);
  EXPECT_FALSE(hold_out(test::random_tensor({3, 4}, 1, rng), 0.5, 1));
}

}  // namespace
}  // namespace lacuna
