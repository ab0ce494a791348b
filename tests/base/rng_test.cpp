// SPDX-License-Identifier: MIT
// Random numbers: the same everywhere, in range, and distributed as they say.
#include "base/rng.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace lacuna {
namespace {

TEST(Rng, FirstValuesAreFixedForever) {
  // From a separate implementation of splitmix64 and xoshiro256**.
  Rng zero(0);
  EXPECT_EQ(zero.next(), 0x99ec5f36cb75f2b4U);
  EXPECT_EQ(zero.next(), 0xbf6e1f784956452aU);
  EXPECT_EQ(zero.next(), 0x1a5f849d4933e6e0U);
  EXPECT_EQ(zero.next(), 0x6aa594f1262d2d2cU);
  Rng other(12345);
  EXPECT_EQ(other.next(), 0xbe6a36374160d49bU);
  EXPECT_EQ(other.next(), 0x214aaa0637a688c6U);
  EXPECT_EQ(other.next(), 0xf69d16de9954d388U);
  EXPECT_EQ(other.next(), 0x0c60048c4e96e033U);
}

TEST(Rng, SameSeedSameStreamOtherSeedOtherStream) {
  Rng a(7);
  Rng b(7);
  Rng c(8);
  int equal_to_other_seed = 0;
  for (int i = 0; i < 1000; ++i) {
    const double draw = a.normal();
    EXPECT_EQ(draw, b.normal());
    equal_to_other_seed += draw == c.normal() ? 1 : 0;
  }
  EXPECT_EQ(equal_to_other_seed, 0);
}

TEST(Rng, UniformLiesInHalfOpenUnitIntervalAndFillsIt) {
  constexpr int kDraws = 200000;
  constexpr int kBins = 20;
  Rng rng(1);
  std::vector<int> bins(kBins);
  for (int i = 0; i < kDraws; ++i) {
    const double draw = rng.uniform();
    ASSERT_GE(draw, 0.0);
    ASSERT_LT(draw, 1.0);
    ++bins[static_cast<std::size_t>(draw * kBins)];
  }
  // Each bin is binomial with mean 10000 and deviation 97; five deviations.
  for (const int count : bins) EXPECT_NEAR(count, kDraws / kBins, 490);
}

TEST(Rng, NormalHasTheMomentsOfTheStandardNormal) {
  constexpr int kDraws = 400000;
  Rng rng(2);
  double moments[4] = {};
  double neighbours = 0.0;  // the two of a Box-Muller pair must not be correlated
  double last = 0.0;
  for (int i = 0; i < kDraws; ++i) {
    const double draw = rng.normal();
    double power = 1.0;
    for (double& moment : moments) moment += (power *= draw) / kDraws;
    neighbours += draw * last / kDraws;
    last = draw;
  }
  const double unit = 5.0 / std::sqrt(kDraws);  // five deviations of a mean of variables of variance 1
  EXPECT_NEAR(moments[0], 0.0, unit);
  EXPECT_NEAR(moments[1], 1.0, unit * std::sqrt(2.0));
  EXPECT_NEAR(moments[2], 0.0, unit * std::sqrt(15.0));
  EXPECT_NEAR(moments[3], 3.0, unit * std::sqrt(96.0));
  EXPECT_NEAR(neighbours, 0.0, unit);
}

TEST(Rng, BelowReachesEveryValueAboutEquallyOften) {
  constexpr int kDraws = 70000;
  Rng rng(3);
  std::vector<int> hits(7);
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t draw = rng.below(7);
    ASSERT_LT(draw, 7U);
    ++hits[draw];
  }
  for (const int count : hits) EXPECT_NEAR(count, kDraws / 7, 463);  // five deviations
  for (int i = 0; i < 10; ++i) EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, BelowHasNoBiasForCountsThatDoNotDivideTheRange) {
  // Of the 2^64 draws a plain remainder by 3/4 2^64 would give the first third of the values twice as often.
  constexpr std::uint64_t kCount = 3 * (std::uint64_t{1} << 62);
  constexpr int kDraws = 30000;
  Rng rng(4);
  int in_first_third = 0;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t draw = rng.below(kCount);
    ASSERT_LT(draw, kCount);
    in_first_third += draw < kCount / 3 ? 1 : 0;
  }
  EXPECT_NEAR(in_first_third, kDraws / 3, 409);  // five deviations; the biased count would be 15000
}

}  // namespace
}  // namespace lacuna
