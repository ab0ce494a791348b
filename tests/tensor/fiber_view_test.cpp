// SPDX-License-Identifier: MIT
// Fibers of any part against a grouping by a map.
#include "tensor/fiber_view.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <stdexcept>
#include <vector>

#include "support/naive.hpp"
#include "support/random_tensor.hpp"
#include "tensor/fiber_numbers.hpp"

namespace lacuna {
namespace {

// The part with mode k and, of the other modes, those whose bit is set.
PartSpec part_of(int mode, int order, unsigned bits) {
  PartSpec part{.mode = mode, .agree = {}};
  for (int other = 0; other < order; ++other)
    if (other != mode && (bits >> other & 1U) != 0) part.agree.push_back(other);
  return part;
}

std::vector<Count> fiber_entries(const FiberView& view, const FiberView::Span& span) {
  return {view.entry().begin() + span.begin, view.entry().begin() + span.end};
}

void check_counts(const FiberView& view, const std::map<std::size_t, Count>& fibers_of_length) {
  Count fibers = 0;
  Count long_fibers = 0;
  Count begin = 0;
  for (int length = 2; length <= FiberView::kShort; ++length) {
    const auto found = fibers_of_length.find(static_cast<std::size_t>(length));
    const Count expected = found == fibers_of_length.end() ? 0 : found->second;
    EXPECT_EQ(view.short_fibers(length), expected);
    EXPECT_EQ(view.short_begin(length), begin);
    begin += length * expected;
  }
  EXPECT_EQ(view.short_begin(FiberView::kShort + 1), begin);
  for (const auto& [length, count] : fibers_of_length) {
    fibers += count;
    if (length > static_cast<std::size_t>(FiberView::kShort)) long_fibers += count;
  }
  EXPECT_EQ(view.fibers(), fibers);
  EXPECT_EQ(view.long_fibers(), long_fibers);
  EXPECT_EQ(view.listed_fibers(), fibers - view.single_fibers());
  ASSERT_EQ(static_cast<Count>(view.long_start().size()), long_fibers + 1);
  EXPECT_EQ(view.long_start().front(), begin);
  EXPECT_EQ(view.long_start().back(), static_cast<Count>(view.entry().size()));
}

// Lengths ascend up to kShort; within a length (long ones together) first entries ascend.
void check_layout(const FiberView& view) {
  Count end = 0;
  Count last_class = 0;
  Count last_first = -1;
  for (Count f = 0; f < view.listed_fibers(); ++f) {
    const FiberView::Span span = view.span(f);
    ASSERT_EQ(span.begin, end);
    end = span.end;
    const Count length_class = std::min<Count>(span.end - span.begin, FiberView::kShort + 1);
    ASSERT_GE(length_class, std::max<Count>(2, last_class));
    if (length_class > last_class) last_first = -1;
    const Count first = view.entry()[span.begin];
    ASSERT_GT(first, last_first);
    last_class = length_class;
    last_first = first;
  }
  EXPECT_EQ(end, static_cast<Count>(view.entry().size()));
}

void check_view(const ObservedTensor& tensor, const PartSpec& part) {
  const FiberView view(tensor, part);
  const test::NaivePart naive(tensor, part);
  EXPECT_EQ(view.part().mode, part.mode);
  EXPECT_EQ(view.part().agree, part.agree);
  EXPECT_EQ(view.rows(), tensor.extent(part.mode));

  std::map<std::size_t, Count> fibers_of_length;
  std::vector<std::vector<Count>> expected;  // fibers of two entries or more
  Count singles = 0;
  for (const auto& fiber : naive.fibers()) {
    ++fibers_of_length[fiber.size()];
    if (fiber.size() == 1) ++singles;
    if (fiber.size() > 1) expected.push_back(fiber);
    for (const Count e : fiber) EXPECT_EQ(view.is_single(e), fiber.size() == 1);
  }
  EXPECT_EQ(view.single_fibers(), singles);
  check_counts(view, fibers_of_length);
  check_layout(view);

  std::vector<std::vector<Count>> found;
  for (Count f = 0; f < view.listed_fibers(); ++f) found.push_back(fiber_entries(view, view.span(f)));
  std::sort(found.begin(), found.end());
  std::sort(expected.begin(), expected.end());
  EXPECT_EQ(found, expected);

  std::vector<int> times(static_cast<std::size_t>(tensor.size()));
  for (const Index e : view.entry()) ++times[e];
  for (Count e = 0; e < tensor.size(); ++e) EXPECT_EQ(times[e], view.is_single(e) ? 0 : 1);
  ASSERT_EQ(view.row().size(), view.entry().size());
  for (std::size_t j = 0; j < view.row().size(); ++j)
    EXPECT_EQ(view.row()[j], tensor.index(part.mode)[view.entry()[j]]);
  EXPECT_GT(view.bytes(), 0);
}

// What for_each_single() goes through, and what asking each entry finds.
void check_singles(const FiberView& view, Count begin, Count end) {
  std::vector<Count> expected;
  for (Count e = begin; e < end; ++e)
    if (view.is_single(e)) expected.push_back(e);
  std::vector<Count> found;
  view.for_each_single(begin, end, [&](Count e) { found.push_back(e); });
  EXPECT_EQ(found, expected) << begin << ".." << end;
}

TEST(FiberView, GoesThroughTheSinglesOfAnyRange) {
  Rng rng(4);
  const ObservedTensor tensor = test::random_tensor({20, 18, 16}, 200, rng);
  const FiberView view(tensor, {.mode = 0, .agree = {1, 2}});
  ASSERT_GT(view.single_fibers(), 10);
  for (const Count begin : {0, 1, 63, 64, 65, 130})
    for (const Count end : {0, 1, 63, 64, 65, 128, 131, 199, 200})
      if (begin <= end) check_singles(view, begin, end);
}

// Without a view the fibers have the numbers that they have with one.
void check_numbers(const ObservedTensor& tensor, const PartSpec& part) {
  const FiberView view(tensor, part);
  const FiberNumbers found = fiber_numbers(tensor, part);
  EXPECT_EQ(found.fibers, view.fibers());
  ASSERT_EQ(static_cast<Count>(found.of_entry.size()), tensor.size());
  for (Count f = 0; f < view.listed_fibers(); ++f)
    for (Count j = view.span(f).begin; j < view.span(f).end; ++j)
      EXPECT_EQ(found.of_entry[view.entry()[j]], f);
  view.for_each_single(0, tensor.size(),
                       [&](Count e) { EXPECT_EQ(found.of_entry[e], view.fiber_of_single(e)); });
}

class FiberViewOfOrder : public testing::TestWithParam<int> {};

TEST_P(FiberViewOfOrder, GroupsEntriesAsAMapWouldForEveryPart) {
  const int order = GetParam();
  Rng rng(30);
  const std::vector<std::vector<Index>> extents = {
      {20, 30}, {9, 14, 11}, {6, 5, 7, 4}, {4, 3, 5, 3, 4}, {3, 4, 2, 3, 4, 3}};
  const ObservedTensor tensor = test::random_tensor(extents[order - 2], 250, rng, 1.5);
  for (int mode = 0; mode < order; ++mode)
    for (unsigned bits = 0; bits < 1U << order; ++bits) {
      if ((bits >> mode & 1U) != 0) continue;
      SCOPED_TRACE(testing::Message() << "mode " << mode << ", agreeing bits " << bits);
      check_view(tensor, part_of(mode, order, bits));
      check_numbers(tensor, part_of(mode, order, bits));
    }
}

INSTANTIATE_TEST_SUITE_P(TwoToSixModes, FiberViewOfOrder, testing::Values(2, 3, 4, 5, 6));

TEST(FiberView, HasFibersOfEveryLengthInTheTestsAbove) {
  Rng rng(30);
  const ObservedTensor tensor = test::random_tensor({9, 14, 11}, 250, rng, 1.5);
  const FiberView view(tensor, part_of(1, 3, 0b101));
  EXPECT_GT(view.single_fibers(), 0);
  for (int length = 2; length <= FiberView::kShort; ++length) EXPECT_GT(view.short_fibers(length), 0);
  EXPECT_GT(view.long_fibers(), 0);
}

TEST(FiberView, GroupsAListLongEnoughForSeveralThreads) {
  Rng rng(31);
  const ObservedTensor tensor = test::random_tensor({60, 700, 50}, 140000, rng, 1.5);
  for (const PartSpec& part : full_parts(3)) check_view(tensor, part);
  check_view(tensor, part_of(0, 3, 0b010));
}

TEST(FiberView, WithoutAgreeingModesIsOneFiberOfEverything) {
  Rng rng(32);
  const ObservedTensor tensor = test::random_tensor({5, 6, 7}, 60, rng);
  const FiberView view(tensor, {.mode = 1, .agree = {}});
  EXPECT_EQ(view.fibers(), 1);
  EXPECT_EQ(view.span(0).begin, 0);
  EXPECT_EQ(view.span(0).end, 60);
}

TEST(FiberView, OfOneEntryIsASingle) {
  const ObservedTensor tensor =
      *ObservedTensor::create(test::plain_modes({4, 4}), {.cells = {{2}, {3}}, .value = {1.0}});
  for (const std::vector<int>& agree : std::vector<std::vector<int>>{{}, {1}}) {
    const FiberView view(tensor, {.mode = 0, .agree = agree});
    EXPECT_EQ(view.single_fibers(), 1);
    EXPECT_EQ(view.listed_fibers(), 0);
    EXPECT_EQ(view.long_fibers(), 0);
    EXPECT_TRUE(view.entry().empty());
    EXPECT_TRUE(view.is_single(0));
  }
}

TEST(FiberView, RefusesPartsTheTensorCannotHave) {
  Rng rng(33);
  const ObservedTensor tensor = test::random_tensor({5, 6, 7}, 20, rng);
  const auto make = [&](PartSpec part) { (void)FiberView(tensor, std::move(part)); };
  EXPECT_THROW(make({.mode = 3, .agree = {0}}), std::invalid_argument);
  EXPECT_THROW(make({.mode = -2, .agree = {0}}), std::invalid_argument);
  EXPECT_THROW(make({.mode = 0, .agree = {0, 1}}), std::invalid_argument);
  EXPECT_THROW(make({.mode = 0, .agree = {3}}), std::invalid_argument);
  EXPECT_THROW(make({.mode = 0, .agree = {2, 1}}), std::invalid_argument);
  EXPECT_THROW(make({.mode = 0, .agree = {1, 1}}), std::invalid_argument);
}

TEST(FullParts, LearnEachModeWhileAllOthersAgree) {
  const std::vector<PartSpec> parts = full_parts(4);
  ASSERT_EQ(parts.size(), 4U);
  EXPECT_EQ(parts[0].agree, (std::vector<int>{1, 2, 3}));
  EXPECT_EQ(parts[2].mode, 2);
  EXPECT_EQ(parts[2].agree, (std::vector<int>{0, 1, 3}));
}

}  // namespace
}  // namespace lacuna
