// SPDX-License-Identifier: MIT
// Which modes are ordered, and how far along them entries are alike.
#include "search/ordered.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <utility>

#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

ObservedTensor observed(std::vector<Mode> modes, Entries entries) {
  return std::move(ObservedTensor::create(std::move(modes), std::move(entries)).value());
}

// Every second position or so of each fiber along mode 0, a walk whose steps are forgotten over `length`.
ObservedTensor walks(double length, Index positions, Index fibers, double share) {
  Rng rng(31);
  Entries entries{.cells = Cells(2), .value = {}};
  std::vector<std::vector<Index>> cells(2);
  const double keep = std::exp(-1.0 / length);
  for (Index f = 0; f < fibers; ++f) {
    double x = rng.normal();
    for (Index i = 0; i < positions; ++i) {
      if (rng.uniform() < share) {
        cells[0].push_back(i);
        cells[1].push_back(f);
        entries.value.push_back(x);
      }
      x = keep * x + std::sqrt(1.0 - keep * keep) * rng.normal();
    }
  }
  entries.cells = Cells(std::move(cells));
  return observed({{.name = "time", .size = positions}, {.name = "station", .size = fibers}}, entries);
}

TEST(Variogram, IsThatOfAllPairsItNames) {
  ObservedTensor tensor = walks(6.0, 60, 5, 0.4);
  const Variogram found = variogram(tensor, 0, serial_communicator());
  std::map<Index, std::map<Index, double>> fiber;
  for (Count e = 0; e < tensor.size(); ++e)
    fiber[tensor.index(1)[e]][tensor.index(0)[e]] = tensor.values()[e];
  double pairs = 0.0;
  double beside = 0.0;  // pairs one position apart
  double squared = 0.0;
  double all = 0.0;
  double weight = 0.0;
  for (const auto& [f, along] : fiber) {
    const std::vector<std::pair<Index, double>> list(along.begin(), along.end());
    double sum = 0.0;
    for (std::size_t i = 0; i < list.size(); ++i)
      for (std::size_t j = 0; j < i; ++j) {
        const double difference = list[i].second - list[j].second;
        sum += difference * difference;
        if (((i - j) & (i - j - 1)) == 0) pairs += 1.0;
        if (list[i].first != list[j].first + 1) continue;
        beside += 1.0;
        squared += difference * difference;
      }
    const auto count = static_cast<double>(list.size());
    all += sum / (0.5 * count);
    weight += count - 1.0;
  }
  double counted = 0.0;
  for (const Variogram::Bin& bin : found.bins) counted += bin.pairs;
  EXPECT_EQ(counted, pairs);
  EXPECT_EQ(found.bins[0].pairs, beside);
  EXPECT_EQ(found.bins[0].distance, 1.0);
  EXPECT_NEAR(found.bins[0].squared, squared / beside, 1e-12);
  EXPECT_NEAR(found.strangers, all / weight, 1e-12);
}

TEST(Variogram, TellsTheLength) {
  constexpr double kFirst = 16.0;
  for (const double length : {4.0, 16.0, 64.0}) {
    const auto found = length_of(variogram(walks(length, 4000, 6, 0.3), 0, serial_communicator()), kFirst);
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, length);
  }
  EXPECT_FALSE(length_of(variogram(walks(4.0, 20, 2, 0.3), 0, serial_communicator()), kFirst));
}

TEST(OrderedModes, AreFoundWhereHardlyAnyEntriesLieSideBySide) {
  const ObservedTensor sparse = walks(400.0, 4000, 40, 0.005);  // 20 of a fiber, 200 positions apart
  const auto found = ordered_modes(sparse, serial_communicator());
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].mode, 0);
  EXPECT_TRUE(found[0].alike());
  EXPECT_GE(found[0].length, 64.0);
}

TEST(OrderedModes, AreKnownOfPicturesTimesAndPositions) {
  Rng rng(33);
  const ObservedTensor noise = test::random_tensor({7, 30, 20}, 1000, rng);
  EXPECT_TRUE(ordered_modes(noise, serial_communicator()).empty());
  for (const bool placed : {false, true}) {
    std::vector<Mode> modes = noise.modes();
    modes[0].in_order = !placed;
    if (placed)
      for (Index i = 0; i < 7; ++i) modes[0].positions.push_back(86400.0 * i);
    Entries entries{.cells = noise.cells(), .value = {noise.values().begin(), noise.values().end()}};
    const auto found = ordered_modes(observed(modes, entries), serial_communicator());
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].mode, 0);
    EXPECT_FALSE(found[0].alike());
    EXPECT_LE(found[0].length, 6.0 * (placed ? 86400.0 : 1.0));
    EXPECT_GE(found[0].length, placed ? 86400.0 : 1.0);
  }
}

// The walks of walks() with labels in an order of their own.
ObservedTensor labelled_walks(double length, bool numbers) {
  const ObservedTensor plain = walks(length, 120, 20, 0.3);
  Entries entries{.cells = plain.cells(), .value = {plain.values().begin(), plain.values().end()}};
  std::vector<Mode> modes{{.name = "hour", .size = 120}, {.name = "station", .size = 20}};
  std::vector<Index> place(120);
  for (Index i = 0; i < 120; ++i) place[i] = i * 77 % 120;
  modes[0].labels.resize(120);
  for (Index i = 0; i < 120; ++i)
    modes[0].labels[place[i]] = numbers ? std::to_string(i) : "t" + std::to_string(i);
  std::vector<std::vector<Index>> cells{{plain.index(0).begin(), plain.index(0).end()},
                                        {plain.index(1).begin(), plain.index(1).end()}};
  for (Index& i : cells[0]) i = place[i];
  entries.cells = Cells(std::move(cells));
  return observed(std::move(modes), std::move(entries));
}

TEST(OrderedByNumber, LabelsThatAreNumbersAreAskedByTheirValues) {
  const ObservedTensor hours = labelled_walks(20.0, true);
  EXPECT_TRUE(ordered_modes(hours, serial_communicator()).empty());
  EXPECT_EQ(ordered_by_number(hours, serial_communicator()), std::vector<int>{0});
  EXPECT_EQ(
      order_notice(hours, serial_communicator()),
      "neighbours are alike along hour, whose labels are numbers; --positions hour would make use of it");
}

TEST(OrderedByNumber, OtherLabelsAndNumbersThatSayNothingAreLeft) {
  EXPECT_TRUE(ordered_by_number(labelled_walks(20.0, false), serial_communicator()).empty());
  EXPECT_EQ(order_notice(labelled_walks(0.01, true), serial_communicator()), "");  // such as numbers of users
}

}  // namespace
}  // namespace lacuna
