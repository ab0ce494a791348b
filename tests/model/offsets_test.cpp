// SPDX-License-Identifier: MIT
// Offsets: effects that are there are found with the ridge that fits them, others are held at 0.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <lacuna/model/structure.hpp>
#include <stdexcept>

#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::random_cells;
using test::random_vector;

const std::vector<Index> kExtents = {80, 40, 25};
constexpr Count kEntries = 8000;
constexpr double kMean = 3.0;
constexpr double kUserSpread = 1.0;
constexpr double kPairSpread = 0.8;
constexpr double kNoise = 0.5;

// Values kMean + user effect + effect of the pair (item, week) + noise.
struct Planted {
  explicit Planted(std::uint64_t seed) {
    Rng rng(seed);
    user = random_vector<double>(kExtents[0], rng);
    pair = random_vector<double>(Count{kExtents[1]} * kExtents[2], rng);
    for (double& effect : user) effect *= kUserSpread;
    for (double& effect : pair) effect *= kPairSpread;
    Entries entries{.cells = random_cells(kExtents, kEntries, rng), .value = {}};
    for (Count e = 0; e < kEntries; ++e)
      entries.value.push_back(kMean + user[entries.cells[0][e]] +
                              pair_at(entries.cells[1][e], entries.cells[2][e]) + kNoise * rng.normal());
    tensor = *ObservedTensor::create(test::plain_modes(kExtents), std::move(entries));
  }
  [[nodiscard]] double pair_at(Index item, Index week) const { return pair[item * kExtents[2] + week]; }

  std::vector<double> user;
  std::vector<double> pair;
  ObservedTensor tensor;
};

double root_mean_square(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return std::sqrt(sum / static_cast<double>(values.size()));
}

TEST(Offsets, FindPlantedEffectsAndTheirRidges) {
  const Planted planted(1);
  const Offsets offsets = fit_offsets(planted.tensor, {.mean = true, .effects = {{0}, {1, 2}}});
  ASSERT_EQ(offsets.effects.size(), 2U);
  EXPECT_NEAR(offsets.mean, kMean, 0.3);

  // A user has 100 observations, a pair 8: errors of about noise / sqrt(count), shrinkage included. What is
  // common to all of one effect may as well be in the mean.
  const auto error = [](std::vector<double> miss, double bound) {
    double mean = 0.0;
    for (const double value : miss) mean += value / static_cast<double>(miss.size());
    for (double& value : miss) value -= mean;
    EXPECT_LT(root_mean_square(miss), bound);
  };
  std::vector<double> user_miss;
  for (Index i = 0; i < kExtents[0]; ++i) user_miss.push_back(offsets.effects[0].at(i) - planted.user[i]);
  error(user_miss, 2 * kNoise / 10);
  std::vector<double> pair_miss;
  for (const std::uint64_t key : offsets.effects[1].key)
    pair_miss.push_back(offsets.effects[1].at(key) - planted.pair_at(static_cast<Index>(key >> 32),
                                                                     static_cast<Index>(key & 0xffffffffU)));
  error(pair_miss, 1.5 * kNoise / std::sqrt(8.0));

  // noise variance / effect variance, which 80 users and 1000 pairs show to within a third.
  EXPECT_NEAR(offsets.effects[0].ridge / (kNoise * kNoise / (kUserSpread * kUserSpread)), 1.0, 0.35);
  EXPECT_NEAR(offsets.effects[1].ridge / (kNoise * kNoise / (kPairSpread * kPairSpread)), 1.0, 0.35);
}

TEST(Offsets, AnEffectThatIsNotThereIsHeldAtZero) {
  ObservedTensor noise = Planted(2).tensor;
  Rng rng(3);
  noise.replace_values(random_vector<double>(kEntries, rng));
  const Offsets none = fit_offsets(noise, {.mean = true, .effects = {{0}}});
  // 100 observations of a user have a mean of size 1/10 by chance alone.
  EXPECT_LT(root_mean_square(none.effects[0].value), 0.3 * 0.1);
  EXPECT_GT(none.effects[0].ridge, 200.0);
}

TEST(Offsets, OneEffectIsTheRidgeRegressionItSays) {
  // value_g (weight_g + ridge) = sum of weight (y - mean) over group g
  Rng rng(4);
  const ObservedTensor tensor = test::with_random_weights(Planted(4).tensor, rng);
  const Offsets offsets = fit_offsets(tensor, {.mean = true, .effects = {{1}}});
  EXPECT_DOUBLE_EQ(offsets.mean, tensor.mean());
  const Effect& effect = offsets.effects[0];
  std::vector<double> weight(kExtents[1], 0.0);
  std::vector<double> sum(kExtents[1], 0.0);
  for (Count e = 0; e < tensor.size(); ++e) {
    weight[tensor.index(1)[e]] += tensor.weight(e);
    sum[tensor.index(1)[e]] += tensor.weight(e) * (tensor.values()[e] - offsets.mean);
  }
  for (Index i = 0; i < kExtents[1]; ++i)
    EXPECT_NEAR(effect.at(i) * (weight[i] + effect.ridge), sum[i], 1e-9 * weight[i]);
}

TEST(Offsets, TheRidgeIsTheRatioOfTheVariancesThatItLeadsTo) {
  // The fixed point of expectation-maximisation: with what is uncertain of the effects counted,
  //   effect variance = mean of value_g^2 + noise / (weight_g + ridge)
  //   noise           = (sum of weight (y - mean - value)^2 + noise sum of weight_g / (weight_g + ridge)) / N
  const ObservedTensor tensor = Planted(12).tensor;
  const Offsets offsets = fit_offsets(tensor, {.mean = true, .effects = {{1, 2}}});
  const Effect& effect = offsets.effects[0];
  std::vector<double> count(effect.key.size(), 0.0);
  const std::vector<double> at = offsets.at(tensor.cells());
  double squares = 0.0;
  for (Count e = 0; e < tensor.size(); ++e) {
    squares += (tensor.values()[e] - at[e]) * (tensor.values()[e] - at[e]);
    const auto group =
        std::lower_bound(effect.key.begin(), effect.key.end(), effect.key_of(tensor.cells(), e));
    count[static_cast<std::size_t>(group - effect.key.begin())] += 1.0;
  }
  double determined = 0.0;
  for (const double n : count) determined += n / (n + effect.ridge);
  const double noise = squares / (static_cast<double>(tensor.size()) - determined);
  double variance = 0.0;
  for (std::size_t g = 0; g < count.size(); ++g)
    variance += effect.value[g] * effect.value[g] + noise / (count[g] + effect.ridge);
  variance /= static_cast<double>(count.size());
  EXPECT_NEAR(effect.ridge / (noise / variance), 1.0, 0.01);  // the sweeps end near it
}

TEST(Offsets, AnEntryCountsAsMuchAsItWeighs) {
  // Every other entry of user 0 is far off and weighs next to nothing.
  const Planted planted(10);
  Entries entries = test::entries_of(planted.tensor);
  entries.weight.assign(entries.value.size(), 1.0);
  for (std::size_t e = 0; e < entries.value.size(); ++e)
    if (entries.cells[0][e] == 0 && e % 2 == 0) {
      entries.value[e] += 1000.0;
      entries.weight[e] = 1e-9;
    }
  const ObservedTensor odd = *ObservedTensor::create(planted.tensor.modes(), entries);
  const OffsetSpec spec{.mean = true, .effects = {{0}}};
  EXPECT_NEAR(fit_offsets(odd, spec).effects[0].at(0), fit_offsets(planted.tensor, spec).effects[0].at(0),
              0.5);
}

TEST(Offsets, ConstantDataHasNothingButItsMean) {
  ObservedTensor tensor = Planted(5).tensor;
  tensor.replace_values(std::vector<double>(static_cast<std::size_t>(tensor.size()), 2.5));
  const Offsets offsets = fit_offsets(tensor, {.mean = true, .effects = {{0}, {1, 2}}});
  EXPECT_EQ(offsets.mean, 2.5);
  for (const double value : offsets.at(tensor.cells())) EXPECT_EQ(value, 2.5);
}

TEST(Offsets, WhereNothingWasSeenTheCoarserOnesRemain) {
  // User 0 and item 0 are seen, in week 0 alone; user 2 and item 2 never.
  const ObservedTensor tensor =
      *ObservedTensor::create(test::plain_modes({3, 3, 2}),
                              {.cells = {{0, 1, 0, 1}, {0, 0, 1, 1}, {0, 0, 0, 1}}, .value = {5, 3, 4, 1}});
  const Offsets offsets = fit_offsets(tensor, {.mean = true, .effects = {{0}, {1, 2}}});
  const double user = offsets.effects[0].at(0);
  const double pair = offsets.effects[1].at(0);
  EXPECT_NE(user, 0.0);
  EXPECT_NE(pair, 0.0);
  const std::vector<double> at =
      offsets.at({{0, 0, 0, 2, kUnseen}, {0, 0, 2, 0, kUnseen}, {0, 1, 0, 0, kUnseen}});
  EXPECT_EQ(at[0], offsets.mean + user + pair);
  EXPECT_EQ(at[1], offsets.mean + user);  // the pair (item 0, week 1) was never seen
  EXPECT_EQ(at[2], offsets.mean + user);
  EXPECT_EQ(at[3], offsets.mean + pair);
  EXPECT_EQ(at[4], offsets.mean);
}

TEST(Offsets, DoublingTheValuesDoublesThem) {
  const Planted planted(6);
  const OffsetSpec spec{.mean = true, .effects = {{0}, {2}, {1, 2}}};
  const Offsets one = fit_offsets(planted.tensor, spec);
  const Offsets two = fit_offsets(test::scaled(planted.tensor, 2.0), spec);
  EXPECT_EQ(two.mean, 2 * one.mean);
  for (std::size_t i = 0; i < one.effects.size(); ++i) {
    EXPECT_EQ(two.effects[i].ridge, one.effects[i].ridge);
    for (std::size_t g = 0; g < one.effects[i].value.size(); ++g)
      ASSERT_EQ(two.effects[i].value[g], 2 * one.effects[i].value[g]);
  }
}

TEST(Offsets, HaveTheSameBitsAtAnyThreadCount) {
  const Planted planted(7);
  std::vector<double> first;
  for (const int threads : {1, 2, 3}) {
    const test::WithThreads scope(threads);
    const std::vector<double> at =
        fit_offsets(planted.tensor, {.mean = true, .effects = {{0}, {1, 2}}}).at(planted.tensor.cells());
    if (first.empty()) first = at;
    EXPECT_TRUE(test::same_bits<double>(at, first)) << threads << " threads";
  }
}

TEST(Offsets, KnowWhatTheyAreMadeOf) {
  for (const OffsetSpec& spec :
       {OffsetSpec{}, OffsetSpec{.mean = true}, OffsetSpec{.mean = true, .effects = {{2}, {0, 1}}}})
    EXPECT_EQ(spec_of(fit_offsets(Planted(11).tensor, spec)), spec);
}

TEST(Offsets, AreNoneUnlessAskedFor) {
  const Offsets none = fit_offsets(Planted(8).tensor, {});
  EXPECT_TRUE(none.empty());
  const Offsets mean = fit_offsets(Planted(8).tensor, {.mean = true});
  EXPECT_FALSE(mean.empty());
  EXPECT_TRUE(mean.effects.empty());
}

TEST(Offsets, RefuseModesTheTensorCannotHave) {
  const Planted planted(9);
  const auto fit = [&](std::vector<int> modes) {
    (void)fit_offsets(planted.tensor, {.mean = true, .effects = {std::move(modes)}});
  };
  EXPECT_THROW(fit({}), std::invalid_argument);
  EXPECT_THROW(fit({3}), std::invalid_argument);
  EXPECT_THROW(fit({-1}), std::invalid_argument);
  EXPECT_THROW(fit({1, 1}), std::invalid_argument);
  EXPECT_THROW(fit({2, 1}), std::invalid_argument);
  EXPECT_THROW(fit({0, 1, 2}), std::invalid_argument);
}

// A user's effect is mostly what two of five features say; a fifth of the users have no entries.
struct Known {
  explicit Known(double told, std::uint64_t seed) {
    constexpr Index kUsers = 200;
    Rng rng(seed);
    std::vector<Mode> modes = test::plain_modes({kUsers, 40});
    modes[0].side = test::random_side(kUsers, 5, rng);
    for (Index i = 0; i < kUsers; ++i) {
      double says = 0.0;
      for (std::int64_t j = modes[0].side->start[i]; j < modes[0].side->start[i + 1]; ++j)
        if (modes[0].side->column[j] < 2) says += modes[0].side->value[j];
      user.push_back(told * says + 0.3 * rng.normal());
    }
    Entries entries{.cells = random_cells({kUsers - kCold, 40}, 2000, rng), .value = {}};
    for (const Index i : entries.cells[0]) entries.value.push_back(kMean + user[i] + kNoise * rng.normal());
    tensor = *ObservedTensor::create(modes, std::move(entries));
  }
  static constexpr Index kCold = 40;
  std::vector<double> user;
  ObservedTensor tensor;
};

TEST(Offsets, WhatIsKnownOfAPositionStandsForItsEntries) {
  const Known known(1.0, 5);
  const Offsets offsets = fit_offsets(known.tensor, {.mean = true, .effects = {{0}}});
  const Effect& effect = offsets.effects[0];
  ASSERT_EQ(effect.key.size(), known.user.size());  // those without entries, too
  std::vector<double> missed;
  std::vector<double> there;
  for (std::size_t i = known.user.size() - Known::kCold; i < known.user.size(); ++i) {
    there.push_back(known.user[i]);
    missed.push_back(offsets.mean + effect.at(i) - kMean - known.user[i]);
  }
  EXPECT_LT(root_mean_square(missed), 1.3 * 0.3);  // what no feature says
  EXPECT_GT(root_mean_square(there), 1.0);
}

TEST(Offsets, FeaturesThatSayNothingChangeNothing) {
  const Known known(0.0, 6);
  std::vector<Mode> modes = known.tensor.modes();
  modes[0].side = nullptr;
  const ObservedTensor without = *ObservedTensor::create(modes, test::entries_of(known.tensor));
  const OffsetSpec spec{.mean = true, .effects = {{0}}};
  const Offsets with = fit_offsets(known.tensor, spec);
  const Offsets plain = fit_offsets(without, spec);
  for (std::uint64_t i = 0; i < known.user.size(); ++i)
    EXPECT_NEAR(with.effects[0].at(i), plain.effects[0].at(i), 0.1) << i;
}

}  // namespace
}  // namespace lacuna
