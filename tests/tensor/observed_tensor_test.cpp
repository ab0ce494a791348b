// SPDX-License-Identifier: MIT
// Observed entries: canonical order, and what becomes of repeated, missing and impossible ones.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinite = std::numeric_limits<double>::infinity();

Entries shuffled(const Entries& entries, Rng& rng) {
  std::vector<std::size_t> order(entries.value.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = order.size(); i > 1; --i) std::swap(order[i - 1], order[rng.below(i)]);
  Entries result{.cells = Cells(entries.order()), .value = {}};
  for (const std::size_t e : order) {
    result.cells.add(entries.cells, e);
    result.value.push_back(entries.value[e]);
    if (!entries.weight.empty()) result.weight.push_back(entries.weight[e]);
  }
  return result;
}

// A 3 x 3 tensor whose list names the cell (1, 2) at the positions 1, 3 and 4 and misses the value at
// position 0.
Entries with_repeats() {
  return {.cells = {{2, 1, 0, 1, 1}, {0, 2, 1, 2, 2}}, .value = {kMissing, 1.0, 10.0, 2.0, 6.0}};
}

class ObservedTensorOrder : public testing::TestWithParam<int> {};

TEST_P(ObservedTensorOrder, IsCanonicalWhateverTheInputOrder) {
  const int order = GetParam();
  Rng rng(20);
  std::vector<Index> extents;
  for (int k = 0; k < order; ++k) extents.push_back(static_cast<Index>(30 / order + k));
  const Count count = order == 2 ? 150 : 400;
  Entries entries{.cells = test::random_cells(extents, count, rng),
                  .value = test::random_vector<double>(count, rng)};
  const ObservedTensor first = *ObservedTensor::create(test::plain_modes(extents), shuffled(entries, rng));
  const ObservedTensor second = *ObservedTensor::create(test::plain_modes(extents), shuffled(entries, rng));

  EXPECT_EQ(first.order(), order);
  ASSERT_EQ(first.size(), count);
  EXPECT_EQ(first.cells(), second.cells());
  EXPECT_TRUE(test::same_bits(first.values(), second.values()));
  for (Count e = 1; e < count; ++e) {  // strictly ascending
    std::vector<Index> before;
    std::vector<Index> here;
    for (int k = 0; k < order; ++k) {
      before.push_back(first.index(k)[e - 1]);
      here.push_back(first.index(k)[e]);
    }
    EXPECT_LT(before, here);
  }
  // No value has changed its cell.
  for (Count given = 0; given < count; ++given) {
    Count found = -1;
    for (Count e = 0; e < count && found < 0; ++e) {
      bool same = true;
      for (int k = 0; k < order; ++k) same = same && first.index(k)[e] == entries.cells[k][given];
      if (same) found = e;
    }
    ASSERT_GE(found, 0);
    EXPECT_EQ(first.values()[found], entries.value[given]);
  }
}

INSTANTIATE_TEST_SUITE_P(TwoToSixModes, ObservedTensorOrder, testing::Values(2, 3, 4, 5, 6));

TEST(ObservedTensor, CopiesShareTheirCells) {
  Entries entries{.cells = Cells{{0, 1}, {1, 0}}, .value = {2.0, 3.0}};
  const ObservedTensor tensor = std::move(ObservedTensor::create(test::plain_modes({2, 2}), entries).value());
  ObservedTensor other = tensor;
  other.replace_values({5.0, 7.0});
  EXPECT_EQ(&other.cells(), &tensor.cells());
  EXPECT_EQ(tensor.values()[0], 2.0);
  const ObservedTensor taken = std::move(other);
  EXPECT_EQ(&taken.cells(), &tensor.cells());
  EXPECT_EQ(ObservedTensor().cells().size(), 0);
}

TEST(ObservedTensor, RefusesRepeatedCellsAndNamesThem) {
  DuplicateCell repeated;
  const auto result =
      ObservedTensor::create(test::plain_modes({3, 3}), with_repeats(), Duplicates::kError, &repeated);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().kind, ErrorKind::kInput);
  EXPECT_EQ(result.error().message(), "cell (2, 3) is listed more than once");
  // Positions in the list as given, missing values counted.
  EXPECT_EQ(repeated.first, 1);
  EXPECT_EQ(repeated.second, 3);
}

TEST(ObservedTensor, RepeatedCellPositionsSurviveMissingValuesInBetween) {
  Entries entries{.cells = {{5, 4, 3, 2, 3, 0}, {0, 0, 0, 0, 0, 0}},
                  .value = {1.0, kMissing, 2.0, kMissing, 3.0, kMissing}};
  DuplicateCell repeated;
  ASSERT_FALSE(
      ObservedTensor::create(test::plain_modes({6, 1}), entries, Duplicates::kError, &repeated).ok());
  EXPECT_EQ(repeated.first, 2);
  EXPECT_EQ(repeated.second, 4);
}

TEST(ObservedTensor, MergesRepeatedCellsAsTold) {
  const auto merged = [](Duplicates policy) {
    const ObservedTensor tensor = *ObservedTensor::create(test::plain_modes({3, 3}), with_repeats(), policy);
    EXPECT_EQ(tensor.size(), 2);
    EXPECT_EQ(tensor.duplicates(), 2);
    EXPECT_EQ(tensor.missing(), 1);
    EXPECT_EQ(tensor.index(0)[0], 0U);
    EXPECT_EQ(tensor.index(0)[1], 1U);
    EXPECT_EQ(tensor.index(1)[1], 2U);
    EXPECT_EQ(tensor.values()[0], 10.0);
    return tensor.values()[1];
  };
  EXPECT_EQ(merged(Duplicates::kMean), 3.0);
  EXPECT_EQ(merged(Duplicates::kSum), 9.0);
  EXPECT_EQ(merged(Duplicates::kLast), 6.0);
}

TEST(ObservedTensor, CountsNoDuplicatesWhereThereAreNone) {
  Rng rng(21);
  const std::vector<Index> extents = {5, 6, 7};
  Entries entries{.cells = test::random_cells(extents, 60, rng),
                  .value = test::random_vector<double>(60, rng)};
  for (const Duplicates policy :
       {Duplicates::kError, Duplicates::kMean, Duplicates::kSum, Duplicates::kLast}) {
    const ObservedTensor tensor = *ObservedTensor::create(test::plain_modes(extents), entries, policy);
    EXPECT_EQ(tensor.duplicates(), 0);
    EXPECT_EQ(tensor.missing(), 0);
    EXPECT_EQ(tensor.size(), 60);
  }
}

TEST(ObservedTensor, AMissingValueIsNoSecondMention) {
  Entries entries{.cells = {{1, 1}, {0, 0}}, .value = {kMissing, 4.0}};
  const auto result = ObservedTensor::create(test::plain_modes({2, 1}), entries);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->size(), 1);
  EXPECT_EQ(result->missing(), 1);
  EXPECT_EQ(result->values()[0], 4.0);
}

TEST(ObservedTensor, AnExplicitZeroIsObserved) {
  const ObservedTensor tensor =
      *ObservedTensor::create(test::plain_modes({2, 2}), {.cells = {{0, 1}, {1, 0}}, .value = {0.0, 2.0}});
  EXPECT_EQ(tensor.size(), 2);
  EXPECT_EQ(tensor.values()[0], 0.0);
}

TEST(ObservedTensor, InfiniteValuesAreAnError) {
  for (const double value : {kInfinite, -kInfinite}) {
    const auto result =
        ObservedTensor::create(test::plain_modes({2, 2}), {.cells = {{0, 1}, {1, 0}}, .value = {3.0, value}});
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().kind, ErrorKind::kInput);
    EXPECT_EQ(result.error().message(), "cell (2, 1) is infinite, expected a number");
  }
}

TEST(ObservedTensor, NothingObservedIsAnError) {
  const auto none = ObservedTensor::create(test::plain_modes({2, 2}), {.cells = {{}, {}}, .value = {}});
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message(), "no entries");
  const auto all_missing =
      ObservedTensor::create(test::plain_modes({2, 2}), {.cells = {{0}, {1}}, .value = {kMissing}});
  ASSERT_FALSE(all_missing.ok());
  EXPECT_EQ(all_missing.error().message(), "every value is missing, expected at least one");
}

TEST(ObservedTensor, EntriesThatDoNotFitTheModesAreTheCallersMistake) {
  const auto create = [](const std::vector<Index>& extents, Entries entries) {
    (void)ObservedTensor::create(test::plain_modes(extents), std::move(entries));
  };
  EXPECT_THROW(create({3, 3}, {.cells = {{0, 3}, {0, 0}}, .value = {1, 2}}), std::invalid_argument);
  EXPECT_THROW(create({3, 3}, {.cells = {{0, kUnseen}, {0, 0}}, .value = {1, 2}}), std::invalid_argument);
  EXPECT_THROW(create({3}, {.cells = {{0}}, .value = {1}}), std::invalid_argument);
  EXPECT_THROW(create({3, 3}, {.cells = {{0}}, .value = {1}}), std::invalid_argument);
  EXPECT_THROW(create({3, 3}, {.cells = {{0, 1}, {0}}, .value = {1, 2}}), std::invalid_argument);
  EXPECT_THROW(create({3, 3}, {.cells = {{0}, {0}}, .value = {1, 2}}), std::invalid_argument);
  EXPECT_THROW(create({3, 3}, {.cells = {{0, 1}, {0, 1}}, .value = {1, 2}, .weight = {1}}),
               std::invalid_argument);
}

TEST(ObservedTensor, WeightsStayWithTheirEntries) {
  Rng rng(24);
  Entries entries{.cells = test::random_cells({6, 5, 4}, 50, rng),
                  .value = test::random_vector<double>(50, rng)};
  for (const double value : entries.value) entries.weight.push_back(2 * std::abs(value) + 1);
  const ObservedTensor tensor = *ObservedTensor::create(test::plain_modes({6, 5, 4}), shuffled(entries, rng));
  ASSERT_EQ(tensor.weights().size(), 50U);
  double total = 0.0;
  double sum = 0.0;
  for (Count e = 0; e < tensor.size(); ++e) {
    EXPECT_EQ(tensor.weight(e), 2 * std::abs(tensor.values()[e]) + 1);
    total += tensor.weight(e);
    sum += tensor.weight(e) * tensor.values()[e];
  }
  EXPECT_DOUBLE_EQ(tensor.total_weight(), total);
  EXPECT_NEAR(tensor.mean(), sum / total, 1e-14);
}

TEST(ObservedTensor, WithoutWeightsEachEntryWeighsOne) {
  Rng rng(25);
  const ObservedTensor tensor = test::random_tensor({6, 5, 4}, 50, rng);
  EXPECT_TRUE(tensor.weights().empty());
  EXPECT_EQ(tensor.weight(7), 1.0);
  EXPECT_EQ(tensor.total_weight(), 50.0);
}

TEST(ObservedTensor, AWeightOfZeroIsNoEntry) {
  Entries entries{.cells = {{1, 1, 0}, {0, 0, 2}}, .value = {7.0, 4.0, 5.0}, .weight = {0.0, 3.0, 0.5}};
  const auto result = ObservedTensor::create(test::plain_modes({2, 3}), entries);
  ASSERT_TRUE(result.ok());  // the cell (1, 0) is not there twice
  EXPECT_EQ(result->size(), 2);
  EXPECT_EQ(result->missing(), 1);
  EXPECT_EQ(result->values()[1], 4.0);
  EXPECT_EQ(result->weight(0), 0.5);
  EXPECT_EQ(result->weight(1), 3.0);
  entries.weight = {0.0, 0.0, 0.0};
  const auto none = ObservedTensor::create(test::plain_modes({2, 3}), entries);
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.error().message(), "every entry is without a value or weighs 0, expected at least one");
}

TEST(ObservedTensor, MergedEntriesAddTheirWeights) {
  Entries entries = with_repeats();
  entries.weight = {9.0, 1.0, 0.25, 2.0, 5.0};
  const auto merged = [&](Duplicates policy) {
    const ObservedTensor tensor = *ObservedTensor::create(test::plain_modes({3, 3}), entries, policy);
    EXPECT_EQ(tensor.weight(0), 0.25);
    EXPECT_EQ(tensor.weight(1), 8.0);
    return tensor.values()[1];
  };
  EXPECT_EQ(merged(Duplicates::kMean), (1 * 1.0 + 2 * 2.0 + 5 * 6.0) / 8);
  EXPECT_EQ(merged(Duplicates::kSum), 9.0);
  EXPECT_EQ(merged(Duplicates::kLast), 6.0);
}

TEST(ObservedTensor, WeightsThatAreNoneAreErrors) {
  const auto message = [](double weight) {
    const auto result = ObservedTensor::create(
        test::plain_modes({2, 2}), {.cells = {{0, 1}, {1, 0}}, .value = {3.0, 4.0}, .weight = {1.0, weight}});
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(result.error().kind, ErrorKind::kInput);
    return result.error().message();
  };
  EXPECT_EQ(message(-1.5), "cell (2, 1) has the weight -1.5, expected a number >= 0");
  EXPECT_EQ(message(-1e-9), "cell (2, 1) has the weight -1e-09, expected a number >= 0");
  EXPECT_EQ(message(kMissing), "cell (2, 1) has the weight nan, expected a number >= 0");
  EXPECT_EQ(message(kInfinite), "cell (2, 1) has the weight inf, expected a number >= 0");
}

TEST(ObservedTensor, SlicesMayBeEmpty) {
  const ObservedTensor tensor = *ObservedTensor::create(
      test::plain_modes({1000, 5, 8}), {.cells = {{999, 3}, {2, 2}, {0, 7}}, .value = {1.0, 2.0}});
  EXPECT_EQ(tensor.extent(0), 1000U);
  EXPECT_EQ(tensor.index(0)[0], 3U);
  EXPECT_EQ(tensor.index(0)[1], 999U);
  EXPECT_EQ(tensor.values()[0], 2.0);
}

TEST(ObservedTensor, MeanAndSubtract) {
  Rng rng(22);
  ObservedTensor tensor = test::random_tensor({40, 50, 60}, 30000, rng);
  double sum = 0.0;
  for (const double value : tensor.values()) sum += value;
  constexpr double kRounding = 1e-13;  // of a mean of 30000 numbers of size 1
  EXPECT_NEAR(tensor.mean(), sum / 30000, kRounding);
  const double first = tensor.values()[0];
  std::vector<double> centred(tensor.values().begin(), tensor.values().end());
  for (double& value : centred) value -= tensor.mean();
  tensor.replace_values(std::move(centred));
  EXPECT_NEAR(tensor.mean(), 0.0, kRounding);
  EXPECT_NEAR(tensor.values()[0], first - sum / 30000, kRounding);
}

TEST(ObservedTensor, ReplaceValuesKeepsTheCells) {
  Rng rng(23);
  ObservedTensor tensor = test::random_tensor({4, 5, 6}, 50, rng);
  const Cells cells = tensor.cells();
  const std::vector<double> values = test::random_vector<double>(50, rng);
  tensor.replace_values(values);
  EXPECT_EQ(tensor.cells(), cells);
  EXPECT_TRUE(test::same_bits(tensor.values(), std::span<const double>(values)));
  EXPECT_THROW(tensor.replace_values({1.0, 2.0}), std::invalid_argument);
}

TEST(ObservedTensor, ReorderingMovesModesAndKeepsEntries) {
  Rng rng(12);
  const ObservedTensor tensor = test::with_random_weights(test::random_tensor({6, 5, 4}, 40, rng), rng);
  const ObservedTensor moved = tensor.reordered(std::vector<int>{2, 0, 1});
  EXPECT_EQ(extents(moved.modes()), (std::vector<Index>{4, 6, 5}));
  const ObservedTensor back = moved.reordered(std::vector<int>{1, 2, 0});
  EXPECT_EQ(back.cells(), tensor.cells());
  EXPECT_TRUE(test::same_bits(back.values(), tensor.values()));
  EXPECT_TRUE(test::same_bits(back.weights(), tensor.weights()));
  for (Count e = 1; e < moved.size(); ++e)  // canonical
    EXPECT_LE(moved.index(0)[e - 1], moved.index(0)[e]);
}

TEST(ParseDuplicates, KnowsItsNames) {
  EXPECT_EQ(parse_duplicates("error"), Duplicates::kError);
  EXPECT_EQ(parse_duplicates("mean"), Duplicates::kMean);
  EXPECT_EQ(parse_duplicates("sum"), Duplicates::kSum);
  EXPECT_EQ(parse_duplicates("last"), Duplicates::kLast);
  EXPECT_EQ(parse_duplicates("first"), std::nullopt);
  EXPECT_EQ(parse_duplicates(""), std::nullopt);
}

TEST(DescribeCell, SpeaksLabelsWhereThereAreSomeAndNumbersFromTheBase) {
  const std::vector<Mode> modes = {{.name = "user", .size = 3, .labels = {"ann", "bo", "cy"}},
                                   {.name = "item", .size = 9, .labels = {}},
                                   {.name = "week", .size = 4, .labels = {}}};
  const Cells index = {{0, 2}, {8, 0}, {3, 1}};
  EXPECT_EQ(describe_cell(modes, index, 0), "(ann, 9, 4)");
  EXPECT_EQ(describe_cell(modes, index, 1), "(cy, 1, 2)");
  EXPECT_EQ(describe_cell(modes, index, 1, 0), "(cy, 0, 1)");
}

TEST(ObservedTensor, RepeatedCellsMergeToTheSameBitsInAnyOrder) {
  std::vector<std::pair<double, double>> lines = {{0.1, 1.0}, {1e16, 0.3}, {-1e16, 0.3}, {0.7, 0.1}};
  for (const Duplicates policy : {Duplicates::kMean, Duplicates::kSum}) {
    std::sort(lines.begin(), lines.end());
    std::optional<double> expected;
    do {
      Entries entries{.cells = {{0, 0, 0, 0, 1}, {0, 0, 0, 0, 1}}, .value = {}, .weight = {}};
      for (const auto& [value, weight] : lines) {
        entries.value.push_back(value);
        entries.weight.push_back(weight);
      }
      entries.value.push_back(5.0);
      entries.weight.push_back(1.0);
      const auto tensor = ObservedTensor::create(test::plain_modes({2, 2}), entries, policy);
      ASSERT_TRUE(tensor);
      if (!expected) expected = tensor->values()[0];
      EXPECT_EQ(tensor->values()[0], *expected);
    } while (std::next_permutation(lines.begin(), lines.end()));
  }
}

}  // namespace
}  // namespace lacuna
