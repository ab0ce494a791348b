// SPDX-License-Identifier: MIT
// FROSTT's .tns files.
#include <zlib.h>

#include <limits>
#include <random>
#include <stdexcept>

#include "text_files.hpp"

namespace lacuna::text_test {
namespace {

class Tns : public TextFiles {};

TensorFile random_tensor(std::vector<Index> shape, int entries, int base) {
  std::mt19937_64 random(7);
  TensorFile file;
  file.index_base = base;
  std::vector<std::vector<Index>> positions(shape.size());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    file.modes.push_back({.name = "mode" + std::to_string(k + 1), .size = shape[k], .labels = {}});
    std::vector<Index>& index = positions[k];
    for (int e = 0; e < entries; ++e) index.push_back(static_cast<Index>(random() % shape[k]));
    index.front() = 0;
    index.back() = shape[k] - 1;
  }
  file.entries.cells = std::move(positions);
  for (int e = 0; e < entries; ++e) {
    const double digits = static_cast<double>(random() >> 11U);
    file.entries.value.push_back(std::ldexp(digits, static_cast<int>(random() % 600) - 300));
  }
  return file;
}

TEST_F(Tns, ReadsPlainLines) {
  const TensorFile file = read_fine("a.tns", "1 2 3 0.5\n4 1 1 -2e3\n");
  EXPECT_EQ(file.format, Format::kTns);
  EXPECT_EQ(file.index_base, 1);
  EXPECT_FALSE(file.dense);
  EXPECT_EQ(sizes(file), Row({4, 2, 3}));
  EXPECT_EQ(names(file), Labels({"mode1", "mode2", "mode3"}));
  EXPECT_EQ(file.entries.cells, (std::vector<Row>{{0, 3}, {1, 0}, {2, 0}}));
  EXPECT_EQ(file.entries.value, Values({0.5, -2000.0}));
}

TEST_F(Tns, TakesCommentsBlankLinesTabsCarriageReturnsAndNoLastLineBreak) {
  const TensorFile file = read_fine(
      "a.tns", "\xef\xbb\xbf# made up\r\n% also\r\n\r\n  1\t1   1 +1.5 \r\n\t \r\n  # 9 9 9 9\n2 2 2 7");
  EXPECT_EQ(file.entries.value, Values({1.5, 7.0}));
  EXPECT_EQ(sizes(file), Row({2, 2, 2}));
}

TEST_F(Tns, ZeroAnywhereMakesItZeroBased) {
  const TensorFile file = read_fine("a.tns", "1 1 5\n2 1 5\n2 0 5\n");
  EXPECT_EQ(file.index_base, 0);
  EXPECT_EQ(file.entries.cells, (std::vector<Row>{{1, 2, 2}, {1, 1, 0}}));
  EXPECT_EQ(sizes(file), Row({3, 2}));
}

TEST_F(Tns, StatedBaseHolds) {
  EXPECT_EQ(sizes(read_fine("a.tns", "1 1 5\n2 1 5\n", {.index_base = 0})), Row({3, 2}));
  EXPECT_EQ(read_error("a.tns", "1 1 5\n2  0 5\n", {.index_base = 1}),
            "a.tns:2:4: found '0', expected an index from 1 to 4294967294");
}

TEST_F(Tns, StatedShapeHolds) {
  EXPECT_EQ(sizes(read_fine("a.tns", "1 1 5\n", {.shape = {7, 8}})), Row({7, 8}));
  EXPECT_EQ(read_error("a.tns", "1 1 5\n8 1 5\n", {.shape = {7, 8}}),
            "a.tns:2:1: found '8', expected an index from 0 to 7");
  EXPECT_EQ(read_error("a.tns", "1 1 5\n", {.shape = {7}}),
            "a.tns: found 2 modes, expected the 1 that the shape has");
  // Only the last line shows that the base is 0, so that 7 is one too many on the first.
  EXPECT_EQ(read_error("a.tns", "7 1 5\n0 1 5\n", {.shape = {7, 8}}),
            "a.tns:1:1: found '7', expected an index from 0 to 6");
}

TEST_F(Tns, BadLinesAreNamed) {
  const struct {
    const char* content;
    const char* message;
  } kCases[] = {
      {"1 1 5\n1 x 5\n", "a.tns:2:3: found 'x', expected an index: a whole number >= 0"},
      {"1 1 5\n1 -1 5\n", "a.tns:2:3: found '-1', expected an index: a whole number >= 0"},
      {"1 1 5\n1 1.5 5\n", "a.tns:2:3: found '1.5', expected an index: a whole number >= 0"},
      {"1 1 5\n1 2 abc\n", "a.tns:2:5: found 'abc', expected a number"},
      {"1 1 5\n1 2 5x\n", "a.tns:2:5: found '5x', expected a number"},
      {"1 1 5\n1 2 inf\n", "a.tns:2:5: found 'inf', expected a finite number"},
      {"1 1 5\n1 2 -1e999\n", "a.tns:2:5: found '-1e999', expected a finite number"},
      {"1 1 5\n1 5\n", "a.tns:2:4: found 2 columns, expected 3"},
      {"1 1 5\n1 1 5 9\n", "a.tns:2:7: found 4 columns, expected 3"},
      {"1 1 5\n4294967295 1 5\n", "a.tns:2:1: found '4294967295', expected an index from 0 to 4294967294"},
      {"1 1 5\n99999999999999999999 1 5\n",
       "a.tns:2:1: found '99999999999999999999', expected an index: a whole number >= 0"},
      {"4294967294 1 5\n0 0 0\n", "a.tns:1:1: found '4294967294', expected an index from 0 to 4294967293"},
      {"7\n", "a.tns:1:1: found 1 column, expected at least an index and a value"},
      {"1 1 \x01\xff\n", "a.tns:1:5: found '\\x01\\xff', expected a number"},
      {"# \xc3\xa9\xc3\xa9\n1 \xc3\xa9\xc3\xa9 x\n",
       "a.tns:2:3: found '\xc3\xa9\xc3\xa9', expected an index: a whole number >= 0"},
      {"# nothing\n\n", "a.tns: no entries"},
      {"", "a.tns: no entries"},
      {"\xff\xfe"
       "1",
       "a.tns: found UTF-16 text, expected UTF-8"},
  };
  for (const auto& c : kCases) EXPECT_EQ(read_error("a.tns", c.content), c.message);
}

TEST_F(Tns, ColumnsCountCharactersNotBytes) {
  EXPECT_EQ(read_error("a.tns", "1 1 1 5\n1 1 \xc3\xa9 5\n"),
            "a.tns:2:5: found '\xc3\xa9', expected an index: a whole number >= 0");
  // The field after two two-byte characters.
  EXPECT_EQ(read_error("a.tns", "1 \xc3\xa9\xc3\xa9 3 4 5\n", {.shape = {1}}),
            "a.tns: found 4 modes, expected the 1 that the shape has");
}

TEST_F(Tns, LargestIndexIsFine) {
  EXPECT_EQ(sizes(read_fine("a.tns", "4294967294 1 5\n")), Row({4294967294U, 1}));
}

TEST_F(Tns, NanIsMissing) {
  const TensorFile file = read_fine("a.tns", "1 1 nan\n1 2 NaN\n2 1 3\n");
  EXPECT_EQ(file.missing, 2);
  EXPECT_TRUE(std::isnan(file.entries.value[0]) && std::isnan(file.entries.value[1]));
}

TEST_F(Tns, FileThatIsNotThere) {
  const auto file = read_tensor(folder.path("none.tns"));
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().kind, ErrorKind::kInput);
  EXPECT_EQ(file.error().where, folder.path("none.tns"));
  EXPECT_EQ(file.error().what, "No such file or directory");
  EXPECT_EQ(read_tensor(folder.path("")).error().what,
            "found a folder without files, expected parts of a text");
}

TEST_F(Tns, KnownModesTakeLinesWithAndWithoutValues) {
  const std::vector<Mode> modes = {{.name = "a", .size = 2, .labels = {"x", "y"}},
                                   {.name = "b", .size = 3, .labels = {}}};
  const ReadOptions options{.index_base = 1, .known_modes = &modes};
  const TensorFile file = read_fine("a.tns", "1 3\n2 1 0.5\n3 4\n", options);
  EXPECT_EQ(file.entries.cells, (std::vector<Row>{{0, 1, 2}, {2, 0, 3}}));
  EXPECT_TRUE(std::isnan(file.entries.value[0]));
  EXPECT_EQ(file.entries.value[1], 0.5);
  EXPECT_EQ(file.missing, 2);
  EXPECT_EQ(file.modes[0].labels, Labels({"x", "y"}));
  EXPECT_EQ(read_error("a.tns", "1\n", options), "a.tns:1:2: found 1 column, expected 2 or 3");
  EXPECT_EQ(read_error("a.tns", "1 1 1 1\n", options), "a.tns:1:7: found 4 columns, expected 2 or 3");
  EXPECT_EQ(read_error("a.tns", "1 0\n", options),
            "a.tns:1:3: found '0', expected an index from 1 to 4294967294");
  const std::string path = folder.path("a.tns");
  EXPECT_THROW((void)read_tensor(path, {.known_modes = &modes}), std::invalid_argument);
}

TEST_F(Tns, RoundTripKeepsEveryBit) {
  for (const int base : {0, 1}) {
    for (const char* const name : {"a.tns", "a.tns.gz"}) {
      TensorFile file = random_tensor({50, 3, 1000, 7}, 3000, base);
      file.entries.value[5] = std::numeric_limits<double>::quiet_NaN();
      file.entries.value[6] = std::numeric_limits<double>::denorm_min();
      file.entries.value[7] = -std::numeric_limits<double>::max();
      file.entries.value[8] = -0.0;
      file.missing = 1;
      ASSERT_TRUE(write_tensor(folder.path(name), file).ok());
      const auto again = read_tensor(folder.path(name));
      ASSERT_TRUE(again.ok());
      expect_same_entries(again->entries, file.entries);
      EXPECT_TRUE(std::signbit(again->entries.value[8]));
      EXPECT_EQ(again->index_base, base);
      EXPECT_EQ(again->missing, 1);
      EXPECT_EQ(sizes(*again), sizes(file));
    }
  }
  EXPECT_EQ(folder.read("a.tns.gz").substr(0, 2), "\x1f\x8b");
}

TEST_F(Tns, WrittenTextIsTheShortest) {
  TensorFile file;
  file.modes = {{.name = "a", .size = 2, .labels = {"x", "y"}}, {.name = "b", .size = 3, .labels = {}}};
  file.entries.cells = {{0, 1, 1}, {2, 0, 1}};
  file.entries.value = {0.1, 5, std::numeric_limits<double>::quiet_NaN()};
  ASSERT_TRUE(write_tensor(folder.path("a.tns"), file).ok());
  EXPECT_EQ(folder.read("a.tns"), "1 3 0.1\n2 1 5\n2 2 nan\n");
}

TEST_F(Tns, EntriesThatNoFileCanHoldAreNotWritten) {
  TensorFile file = random_tensor({4, 4}, 5, 1);
  file.entries.cells[1][2] = kUnseen;
  const auto unseen = write_tensor(folder.path("a.tns"), file);
  ASSERT_FALSE(unseen.ok());
  EXPECT_EQ(unseen.error().kind, ErrorKind::kOutput);
  EXPECT_EQ(unseen.error().what, "entry 3 lies outside mode 'mode2' of size 4");
  file.entries.cells[1][2] = 0;
  file.entries.value[4] = std::numeric_limits<double>::infinity();
  EXPECT_EQ(write_tensor(folder.path("a.tns"), file).error().what, "entry 5 is infinite");
  EXPECT_EQ(folder.files(), 0U);
  file.entries.value.pop_back();
  EXPECT_THROW((void)write_tensor(folder.path("a.tns"), file), std::invalid_argument);
}

// Lines that straddle the reader's blocks, and one longer than a block.
TEST_F(Tns, LinesAcrossBlocks) {
  std::string content;
  Values expected;
  for (int e = 1; content.size() < 700'000; ++e) {
    content += std::to_string(e) + " 1 " + std::to_string(e % 17) + ".25\n";
    if (e == 20'000) content += "#" + std::string(600'000, '-') + "\n" + std::string(300'000, ' ') + "\n";
    expected.push_back(e % 17 + 0.25);
  }
  const TensorFile file = read_fine("a.tns", content);
  EXPECT_EQ(file.entries.value, expected);
  EXPECT_EQ(sizes(file), Row({static_cast<Index>(expected.size()), 1}));
  EXPECT_EQ(read_error("a.tns", content + "x"), "a.tns:" + std::to_string(expected.size() + 3) +
                                                    ":1: found 'x', expected an index: a whole number >= 0");
}

TEST_F(Tns, EndlessLineIsRefused) {
  EXPECT_EQ(read_error("a.tns", "1 1 5\n" + std::string(17 << 20, '1')),
            "a.tns:2: found a line of more than 16 MB, expected shorter lines");
}

TEST_F(Tns, DamagedGzipIsRefused) {
  const TensorFile file = random_tensor({50, 30}, 3000, 1);
  ASSERT_TRUE(write_tensor(folder.path("a.tns.gz"), file).ok());
  std::string packed = folder.read("a.tns.gz");
  EXPECT_EQ(read_error("b.tns.gz", packed.substr(0, packed.size() / 2)),
            "b.tns.gz: found gzip data that are cut short");
  packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
  EXPECT_EQ(read_error("b.tns.gz", packed), "b.tns.gz: found gzip data that are damaged");
}

TEST_F(Tns, GzipOfSeveralMembersIsOneFile) {
  ASSERT_TRUE(write_tensor(folder.path("a.tns.gz"), random_tensor({9, 9}, 10, 1)).ok());
  const std::string packed = folder.read("a.tns.gz");
  EXPECT_EQ(read_fine("b.tns.gz", packed + packed).entries.size(), 20);
}

}  // namespace
}  // namespace lacuna::text_test
