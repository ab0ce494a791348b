// SPDX-License-Identifier: MIT
#include "tensor/positions.hpp"

#include <gtest/gtest.h>

namespace lacuna {
namespace {

Mode at(std::vector<double> positions) {
  return {.name = "x", .size = static_cast<Index>(positions.size()), .positions = std::move(positions)};
}

TEST(Positions, PlacesAreRanksAndNothingWhereTheIndexIsOne) {
  EXPECT_TRUE(places(at({})).empty());
  EXPECT_TRUE(places(at({1.0, 2.5, 9.0})).empty());
  EXPECT_EQ(places(at({4.0, -1.0, 2.5})), (std::vector<Index>{2, 0, 1}));
}

TEST(Positions, SpacingIsRegularWithinAThousandthOfItself) {
  EXPECT_EQ(regular_spacing(at({})), 1.0);
  EXPECT_EQ(regular_spacing(at({7.0})), 1.0);
  EXPECT_EQ(regular_spacing(at({4.0, 0.0, 2.0})), 2.0);
  EXPECT_EQ(regular_spacing(at({0.0, 1.0, 2.01, 3.0})), 0.0);
  // Degrees as floats, and seconds since 1970.
  std::vector<double> degrees;
  std::vector<double> seconds;
  for (int i = 0; i < 3600; ++i) {
    degrees.push_back(static_cast<float>(-179.95 + 0.1 * i));
    seconds.push_back(1.6e9 + i);
  }
  EXPECT_NEAR(regular_spacing(at(degrees)), 0.1, 1e-6);
  EXPECT_EQ(regular_spacing(at(seconds)), 1.0);
  seconds[1700] += 0.25;
  EXPECT_EQ(regular_spacing(at(seconds)), 0.0);
}

TEST(Positions, TypicalSpacingIsTheMedian) {
  EXPECT_EQ(typical_spacing(at({})), 1.0);
  EXPECT_EQ(typical_spacing(at({100.0, 0.0, 1.0, 2.0, 3.0})), 1.0);  // one long gap
}

}  // namespace
}  // namespace lacuna
