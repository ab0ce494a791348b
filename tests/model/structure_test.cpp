// SPDX-License-Identifier: MIT
// How people write parts and offsets: what is read, what is said back, what is refused.
#include <gtest/gtest.h>

#include <lacuna/model/structure.hpp>

#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

std::vector<Mode> named_modes() {
  return {{.name = "user", .size = 9, .labels = {}},
          {.name = "item", .size = 8, .labels = {}},
          {.name = "week", .size = 7, .labels = {}}};
}

std::vector<PartOptions> parts_of(const std::string& text) {
  const auto parts = parse_parts(text, named_modes());
  EXPECT_TRUE(parts) << text << ": " << (parts ? "" : parts.error().what);
  return parts ? *parts : std::vector<PartOptions>{};
}
OffsetSpec offsets_of(const std::string& text) {
  const auto offsets = parse_offsets(text, named_modes());
  EXPECT_TRUE(offsets) << text << ": " << (offsets ? "" : offsets.error().what);
  return offsets ? *offsets : OffsetSpec{};
}

// The error's sentence holds both: the wrong text and what was expected instead.
void expect_refused(const Result<>& result, const std::string& text, const std::string& found,
                    const std::string& expected) {
  SCOPED_TRACE(text);
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().kind, ErrorKind::kUsage);
  EXPECT_NE(result.error().what.find(found), std::string::npos) << result.error().what;
  EXPECT_NE(result.error().what.find(expected), std::string::npos) << result.error().what;
}
void parts_refused(const std::string& text, const std::string& found, const std::string& expected) {
  const auto parts = parse_parts(text, named_modes());
  expect_refused(parts ? Result<>(Nothing{}) : Result<>(parts.error()), text, found, expected);
}
void offsets_refused(const std::string& text, const std::string& found, const std::string& expected) {
  const auto offsets = parse_offsets(text, named_modes());
  expect_refused(offsets ? Result<>(Nothing{}) : Result<>(offsets.error()), text, found, expected);
}

TEST(ParseParts, KnowsItsKeywords) {
  const auto full = parts_of("full");
  ASSERT_EQ(full.size(), 3U);
  for (int k = 0; k < 3; ++k) EXPECT_EQ(full[k].spec, full_parts(3)[k]);
  EXPECT_EQ(full, full_structure(3));

  const auto pairs = parts_of("pairs");
  EXPECT_EQ(pairs, pair_structure(3));
  ASSERT_EQ(pairs.size(), 6U);
  EXPECT_EQ(pairs[0].spec, (PartSpec{.mode = 0, .agree = {1}}));
  EXPECT_EQ(pairs[5].spec, (PartSpec{.mode = 2, .agree = {1}}));
  EXPECT_EQ(parts_of("full ; pairs").size(), 9U);
}

TEST(ParseParts, AtTwoModesFullAndPairsAreTheSame) {
  const auto parts = parse_parts("full;pairs", test::plain_modes({4, 5}));
  ASSERT_TRUE(parts);
  EXPECT_EQ(*parts, full_structure(2));
}

TEST(ParseParts, ReadsModesByNameAndByNumberInAnyOrder) {
  const std::vector<PartOptions> expected = {{.spec = {.mode = 0, .agree = {1, 2}}}};
  for (const char* text :
       {"user|item,week", "user|week,item", "1|2,3", " user | 3 , item ", "user|item,week;"})
    EXPECT_EQ(parts_of(text), expected) << text;
  EXPECT_EQ(parts_of("week|"), (std::vector<PartOptions>{{.spec = {.mode = 2, .agree = {}}}}));
}

TEST(ParseParts, ReadsTheSettingsOfEachPart) {
  const auto parts = parts_of("user|item rank=20 lambda=0.5 rows=0.25 fibers=-1;week| rank=3;item|user");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0], (PartOptions{.spec = {.mode = 0, .agree = {1}, .row_power = 0.25, .fiber_power = -1.0},
                                   .rank = 20,
                                   .lambda = 0.5}));
  EXPECT_EQ(parts[1], (PartOptions{.spec = {.mode = 2, .agree = {}}, .rank = 3}));
  EXPECT_EQ(parts[2], (PartOptions{.spec = {.mode = 1, .agree = {0}}}));
}

TEST(ParseParts, ASettingOfOnePartMayPrecedeTheKeyword) {
  const auto parts = parts_of("user|item,week rank=7 ; full");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[0].rank, 7);
  EXPECT_EQ(parts[1].spec, full_parts(3)[1]);
}

TEST(ParseParts, NamesWhatIsWrong) {
  parts_refused("usr|item", "'usr'", "user, item, week");
  parts_refused("user|itme,week", "'itme'", "user, item, week");
  parts_refused("user|4", "'4'", "1 to 3");
  parts_refused("0|user", "'0'", "1 to 3");
  parts_refused("user|item,,week", "''", "user, item, week");
  parts_refused("user|item,user", "'user'", "twice");
  parts_refused("user|item,item", "'item'", "twice");
  parts_refused("user|item,2", "'2'", "twice");
  parts_refused("user", "'user'", "user|item,week");
  parts_refused("fulll", "'fulll'", "full, pairs");
  parts_refused("user|item ; week ; item|user", "'week'", "full, pairs");
  parts_refused("user|item;user|item rank=3", "'user|item rank=3'", "twice");
  parts_refused("full;user|week,item", "'user|week,item'", "twice");
  for (const char* empty : {"", "  "}) parts_refused(empty, "no part at all", "full, pairs");
}

TEST(ParseParts, NamesTheSettingThatIsWrong) {
  for (const char* setting :
       {"rank=0", "rank=-1", "rank=2.5", "rank=x", "rank=", "rank=1e9", "lambda=0", "lambda=-2", "lambda=inf",
        "lambda=nan", "rows=5", "rows=a", "fibers=-4.5", "fibers=nan", "depth=3", "=3", "rank=3x"})
    parts_refused(std::string("user|item ") + setting, "'" + std::string(setting) + "'", "rank=N");
  parts_refused("user|item rank=3 twice", "'twice'", "rank=N");
}

TEST(DescribeParts, IsWhatTheParserReads) {
  for (const char* text : {"user|item,week", "week|", "user|item rank=20 lambda=0.5 rows=0.25 fibers=-1",
                           "user|item,week ; item|user,week rank=2 ; week|user"})
    EXPECT_EQ(describe(parts_of(text), named_modes()), text);
  for (const char* text : {"full", "pairs", "full;pairs", "3|1 lambda=0.1;1|"})
    EXPECT_EQ(parts_of(describe(parts_of(text), named_modes())), parts_of(text)) << text;
}

TEST(ParseOffsets, KnowsItsKeywords) {
  EXPECT_EQ(offsets_of("none"), OffsetSpec{});
  EXPECT_EQ(offsets_of("mean"), (OffsetSpec{.mean = true, .effects = {}}));
  EXPECT_EQ(offsets_of(" modes "), (OffsetSpec{.mean = true, .effects = {{0}, {1}, {2}}}));
}

TEST(ParseOffsets, ReadsModesAndPairsOfModes) {
  EXPECT_EQ(offsets_of("user, item ,week*item"), (OffsetSpec{.mean = true, .effects = {{0}, {1}, {1, 2}}}));
  EXPECT_EQ(offsets_of("3*1"), (OffsetSpec{.mean = true, .effects = {{0, 2}}}));
}

TEST(ParseOffsets, NamesWhatIsWrong) {
  offsets_refused("usr", "'usr'", "user, item, week");
  offsets_refused("user,item*weak", "'weak'", "user, item, week");
  offsets_refused("user,0", "'0'", "1 to 3");
  offsets_refused("user*user", "'user'", "twice");
  offsets_refused("user*item*week", "'user*item*week'", "item*week");
  offsets_refused("user*,item", "'user*'", "item*week");
  offsets_refused("user,item,user", "'user'", "twice");
  offsets_refused("item*week,week*item", "'week*item'", "twice");
  offsets_refused("user,,item", "''", "expected");
  offsets_refused("", "", "expected none, mean, modes");
}

TEST(DescribeOffsets, IsWhatTheParserReads) {
  for (const char* text : {"none", "mean", "user", "user,item,item*week"})
    EXPECT_EQ(describe(offsets_of(text), named_modes()), text);
  EXPECT_EQ(offsets_of(describe(offsets_of("modes"), named_modes())), offsets_of("modes"));
}

TEST(ParseParts, KnowsNearModesAndPartsThatLearnNothing) {
  const auto near = parts_of("user|item,week~3");
  ASSERT_EQ(near.size(), 1U);
  EXPECT_EQ(near[0].spec, (PartSpec{.mode = 0, .agree = {1}, .near = {{2, 3.0}}}));
  const auto fixed = parts_of("|week~0.5,item~8,user smooth=1.5 lambda=2");
  ASSERT_EQ(fixed.size(), 1U);
  EXPECT_EQ(
      fixed[0].spec,
      (PartSpec{.mode = PartSpec::kNothing, .agree = {0}, .near = {{1, 8.0}, {2, 0.5}}, .smoothness = 1.5}));
  EXPECT_EQ(fixed[0].lambda, 2.0);
  for (const std::string text : {"user|item,week~3", "|user,item~8,week~0.5 lambda=2 smooth=1.5", "|user",
                                 "week|user~1.25 rank=3 smooth=2"})
    EXPECT_EQ(describe(parts_of(text), named_modes()), text);
  EXPECT_EQ(parts_of("user|week~3 ; user|week~4 ; user|week").size(), 3U);
  EXPECT_EQ(describe(parts_of("|user~8 smooth=3/2"), named_modes()), "|user~8 smooth=1.5");
  parts_refused("|user~8 smooth=5/2", "smooth=5/2", "smooth=1, 3/2, 2 or auto");
}

TEST(ParseParts, KnowsLengthsThatAreOpen) {
  std::vector<Mode> modes = named_modes();
  modes[2].positions.assign(modes[2].size, 0.0);
  for (std::size_t i = 0; i < modes[2].positions.size(); ++i)
    modes[2].positions[i] = 0.5 * static_cast<double>(i);
  const auto parts = parse_parts("user|item~auto,week~auto smooth=auto ; user|item~3,week~auto", modes);
  ASSERT_TRUE(parts);
  EXPECT_EQ((*parts)[0].open_lengths, (std::vector<int>{1, 2}));
  EXPECT_TRUE((*parts)[0].open_smoothness);
  EXPECT_EQ((*parts)[0].spec.near, (std::vector<NearMode>{{1, 16.0}, {2, 8.0}}));  // 16 spacings
  EXPECT_EQ((*parts)[1].open_lengths, (std::vector<int>{2}));
  EXPECT_EQ(describe(*parts, modes), "user|item~auto,week~auto smooth=auto ; user|item~3,week~auto");
  EXPECT_TRUE(any_open(*parts));
  EXPECT_FALSE(any_open(closed(*parts)));
  EXPECT_EQ(describe(closed(*parts), modes), "user|item~16,week~8 ; user|item~3,week~8");
  parts_refused("user|item smooth=auto", "smooth=", "no near mode");
}

TEST(ParseParts, KnowsTheShareOfSideInformation) {
  std::vector<Mode> modes = named_modes();
  modes[0].side = std::make_shared<const SideInformation>(
      SideInformation{.names = {"age"}, .start = std::vector<std::int64_t>(modes[0].size + 1, 0)});
  const auto parts = parse_parts("user|item side=0.5 ; user|week rank=2 side=1 ; item|user side=0", modes);
  ASSERT_TRUE(parts);
  EXPECT_EQ((*parts)[0].spec, (PartSpec{.mode = 0, .agree = {1}, .side = 0.5}));
  EXPECT_EQ(describe(*parts, modes), "user|item side=0.5 ; user|week rank=2 side=1 ; item|user");
  for (const char* wrong : {"side=-0.1", "side=1.5", "side=nan", "side=", "side=x"})
    parts_refused("user|item " + std::string(wrong), wrong, "side=SHARE");
  parts_refused("user|item side=0.5", "side=", "give it side information or a graph");
  modes[0].labels = {"u1"};
  const auto near = parse_parts("item|week,user~2", modes);
  ASSERT_FALSE(near);
  EXPECT_NE(near.error().message().find("side= of a part that learns user"), std::string::npos);
  parts_refused("|item side=0.5", "side=", "learns nothing");
}

TEST(ParseParts, RefusesNearModesThatMakeNoSense) {
  for (const std::string length : {"0", "-2", "nan", "inf", "", "x", "3x"})
    parts_refused("user|week~" + length, "week~" + length, "a length > 0");
  parts_refused("user|user~3", "user~3", "named twice");
  parts_refused("user|week~3,week", "week", "named twice");
  parts_refused("user|day~3", "day", "expected a mode");
  parts_refused("user|week~3 smooth=3", "smooth=3", "smooth=1");
  parts_refused("user|week smooth=2", "smooth=", "no near mode");
  parts_refused("user|week~3 fibers=0.5", "fibers=", "near modes");
  parts_refused("user|week~3 ; user|week~3", "user|week~3", "listed twice");
}

}  // namespace
}  // namespace lacuna
