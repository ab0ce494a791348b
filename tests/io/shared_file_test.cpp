// SPDX-License-Identifier: MIT
// A file that processes read together is the file that one process reads: the same modes, the same entries in the same
// order when theirs are put one behind the other, the same message about the same line.
#include "io/shared_file.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "io/text/text_ranges.hpp"
#include "kernels/observe_together.hpp"
#include "support/thread_group.hpp"
#include "support/threads.hpp"
#include "text_files.hpp"

namespace lacuna {
namespace {

using test::ThreadGroup;

class Readers : public testing::TestWithParam<int> {
 protected:
  [[nodiscard]] std::string write(const std::string& name, const std::string& text) const {
    return files_.write(name, text);
  }

  // What the processes read, put together. All have the same modes, or the same error.
  [[nodiscard]] Result<TensorFile> read_by_all(const std::string& path, const ReadOptions& options = {},
                                               Count* largest = nullptr) const {
    Result<TensorFile> all = input_error("", "nobody read it");
    const Result<TensorFile> alone = read_tensor(path, options);
    ThreadGroup(GetParam()).run([&](const Communicator& everyone) {
      auto mine = read_shared(path, options, everyone);
      EXPECT_EQ(mine.ok(), alone.ok()) << (mine ? "" : mine.error().message());
      if (!mine) {
        EXPECT_EQ(mine.error().message(), alone.error().message());
        EXPECT_EQ(mine.error().kind, alone.error().kind);
        return;
      }
      expect_same_modes(mine->file, *alone);
      TensorFile gathered = mine->file;
      std::vector<std::vector<Index>> cells;
      for (int k = 0; k < mine->file.entries.order(); ++k)
        cells.push_back(everyone.gather(std::span<const Index>(mine->file.entries.cells.mode(k))));
      gathered.entries.cells = Cells(std::move(cells));
      gathered.entries.value = everyone.gather(std::span<const double>(mine->file.entries.value));
      gathered.entries.weight = everyone.gather(std::span<const double>(mine->file.entries.weight));
      const auto most = static_cast<Count>(everyone.max(static_cast<double>(mine->file.entries.size())));
      if (!everyone.first()) return;
      if (largest != nullptr) *largest = most;
      all = std::move(gathered);
    });
    return all;
  }
  static void expect_same_modes(const TensorFile& found, const TensorFile& expected) {
    EXPECT_EQ(found.format, expected.format);
    EXPECT_EQ(found.index_base, expected.index_base);
    ASSERT_EQ(found.modes.size(), expected.modes.size());
    for (std::size_t k = 0; k < found.modes.size(); ++k) {
      EXPECT_EQ(found.modes[k].name, expected.modes[k].name);
      EXPECT_EQ(found.modes[k].size, expected.modes[k].size);
      EXPECT_EQ(found.modes[k].labels, expected.modes[k].labels);
      EXPECT_EQ(found.modes[k].positions, expected.modes[k].positions);
      EXPECT_EQ(found.modes[k].same_as, expected.modes[k].same_as);
      ASSERT_EQ(found.modes[k].binning.has_value(), expected.modes[k].binning.has_value());
      if (!found.modes[k].binning) continue;
      EXPECT_EQ(found.modes[k].binning->origin, expected.modes[k].binning->origin);
      EXPECT_EQ(found.modes[k].binning->dates, expected.modes[k].binning->dates);
    }
  }
  void expect_same(const std::string& path, const ReadOptions& options = {}, Count* largest = nullptr) const {
    const auto alone = read_tensor(path, options);
    ASSERT_TRUE(alone) << alone.error().message();
    const auto found = read_by_all(path, options, largest);
    ASSERT_TRUE(found) << found.error().message();
    EXPECT_EQ(found->entries.cells, alone->entries.cells);
    EXPECT_TRUE(test::same_bits(std::span<const double>(found->entries.value),
                                std::span<const double>(alone->entries.value)));
    EXPECT_EQ(found->entries.weight, alone->entries.weight);
  }
  void expect_same_error(const std::string& path, const std::string& where,
                         const ReadOptions& options = {}) const {
    const auto alone = read_tensor(path, options);
    ASSERT_FALSE(alone);
    EXPECT_NE(alone.error().message().find(where), std::string::npos) << alone.error().message();
    (void)read_by_all(path, options);
  }

  text_test::TempFolder files_;
};
INSTANTIATE_TEST_SUITE_P(Processes, Readers, testing::Values(1, 2, 3, 4, 7, 64));

std::string many_lines(int lines, const char* line_break = "\n") {
  std::string text = std::string("# comment") + line_break;
  for (int i = 0; i < lines; ++i)
    text += std::to_string(1 + i * 7919 % 1000) + " " + std::to_string(1 + i) + " " +
            std::to_string(i % 3 + 1) + (i % 10 == 0 ? "  nan" : " 0.5") + line_break +
            (i % 17 == 0 ? line_break : "");
  return text;
}

TEST_P(Readers, HaveEqualSharesOfATns) {
  Count largest = 0;
  expect_same(write("many.tns", many_lines(3000)), {}, &largest);
  EXPECT_LE(largest, 3000 / GetParam() + 300 / GetParam() + 4);
}

TEST_P(Readers, FindLinesWhateverEndsThem) {
  for (const char* line_break : {"\n", "\r\n", "\r"})
    expect_same(write("broken.tns", many_lines(90, line_break)));
  expect_same(write("open.tns", "1 1 2\n2 2 3"));
  expect_same(write("mark.tns",
                    "\xef\xbb\xbf"
                    "1 1 2\n2 2 3\n"));
}

TEST_P(Readers, AgreeOnTheIndexBase) {
  expect_same(write("one.tns", "1 1 2\n2 2 3\n3 1 4\n"));
  expect_same(write("zero.tns", "1 1 2\n2 2 3\n3 1 4\n1 3 5\n0 1 1\n"));
  expect_same_error(write("large.tns", "1 4 2\n2 2 3\n3 1 4\n1 3 5\n0 1 1\n"), "large.tns:1:3",
                    {.shape = {4, 4}});
}

TEST_P(Readers, TellOfTheFirstBadLine) {
  for (const int bad : {0, 1, 50, 99}) {
    std::string text = "# a comment\n\n";
    for (int i = 0; i < 100; ++i) text += i == bad || i == 99 ? "1 x 3\n" : "1 2 3\n";
    expect_same_error(write("bad.tns", text), "bad.tns:" + std::to_string(bad + 3) + ":3");
  }
  expect_same_error(write("none.tns", "# nothing\n\n\n"), "no entries");
  expect_same_error(write("one.tns", "1\n"), "one.tns:1:1");
}

std::string quoted_table(int lines) {
  std::string text = "user,item,rating\n";
  for (int i = 0; i < lines; ++i) {
    text += i % 3 == 0 ? "\"a, b\nline\r\nand \"\"more\"\" of it " + std::to_string(i % 7) + "\""
                       : "u" + std::to_string(i % 11);
    text += ",item" + std::to_string(i * 31 % 101) + "," + std::to_string(i % 5) + "\n";
  }
  return text;
}

TEST_P(Readers, AgreeOnLabels) {
  expect_same(write("plain.csv", "who,what,rating\nb,x,1\na,y,2\nc,x,3\na,z,4\n"));
  expect_same(write("quoted.csv", quoted_table(200)));
  expect_same(write("inch.csv", "who,what,rating\nb,5\" disk,1\na,3\" disk,2\nc,\"a\n\"\"b\",3\n"));
  expect_same(write("tabs.tsv", "a\tr\tb\nb\ts\tc\nc\tr\ta\na\ts\tc\n"));  // triples whose ends are one set
  expect_same(write("weights.csv", "who,what,rating,w\nb,x,1,2\na,y,2,1\nc,x,3,0.5\n"),
              {.weight_column = "w"});
  expect_same(write("days.csv", "who,day,rating\nb,2020-01-05,1\na,2020-01-01,2\nc,2021-02-03,3\n"));
  expect_same(
      write("bins.csv", "who,stamp,rating\nb,978300760,1\na,978302109,2\nc,978400000,3\nd,978200000,3\n"),
      {.bins = {{.column = "stamp", .width = 3600}}});
  expect_same(write("numbers.csv", "who,what,rating\n4,1,1\n2,0,2\n9,3,3\n"), {.table_indices = true});
  expect_same(write("wide.csv", "who,x,y,z\nb,1,2,3\na,4,,6\nc,7,8,9\n"), {.wide = "what"});
  expect_same(write("ratings.dat", "1::5::3::978300760\n2::7::4::978302109\n1::7::5::978301968\n"));
}

TEST_P(Readers, TellOfTheFirstBadRecord) {
  std::string text = quoted_table(60);
  expect_same_error(write("value.csv", text + "u1,item1,four\nu2,item2\n"), "'four'");
  expect_same_error(write("columns.csv", text + "u1,item1\nu1,item1,four\n"), "found 2 columns");
  expect_same_error(write("open.csv", text + "\"u1,item1,4\n" + "u1,item1,3\n"), "never closed");
  expect_same_error(write("header.csv", "user,item,rating\n"), "no entries");
}

TEST_P(Readers, ReadAFolderAsOneFile) {
  std::filesystem::create_directory(files_.path("parts"));
  std::string whole;
  for (int part = 0; part < 5; ++part) {
    std::string text = part == 3 ? "" : many_lines(20 + 100 * part);
    whole += text;
    (void)write("parts/part-" + std::to_string(part) + ".tns", text);
  }
  (void)write("parts/_SUCCESS", "");
  (void)write("parts/.part.crc", "x");
  expect_same(files_.path("parts"));
  const auto folder = read_tensor(files_.path("parts"));
  const auto file = read_tensor(write("whole.tns", whole));
  ASSERT_TRUE(folder && file);
  EXPECT_EQ(folder->entries.cells, file->entries.cells);
  (void)write("parts/part-4.tns", "1 1 1 2\n1 1 2\n");
  expect_same_error(files_.path("parts"), "part-4.tns:2:6");
}

TEST_P(Readers, ReadAFolderOfTables) {
  std::filesystem::create_directory(files_.path("tables"));
  (void)write("tables/1.csv", "user,item,rating\nb,x,1\na,y,2\n");
  (void)write("tables/2.csv", quoted_table(40));
  expect_same(files_.path("tables"));
  EXPECT_EQ(read_tensor(files_.path("tables"))->entries.size(), 42);
  (void)write("tables/3.csv", "user,thing,rating\nb,x,1\n");
  expect_same_error(files_.path("tables"), "3.csv:1");
}

TEST_P(Readers, ReadArraysByTheirCells) {
  for (const bool fortran : {false, true}) {
    const std::string path = files_.path("array.npy");
    std::vector<double> values(60);
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = i % 7 == 0 ? std::nan("") : static_cast<double>(i);
    TensorFile file;
    file.modes = {{.name = "mode1", .size = 5}, {.name = "mode2", .size = 4}, {.name = "mode3", .size = 3}};
    file.entries.cells = Cells(3);
    for (Index i = 0; i < 5; ++i)
      for (Index j = 0; j < 4; ++j)
        for (Index k = 0; k < 3; ++k) file.entries.cells.add({i, j, k});
    file.entries.value = values;
    file.layout.fortran_order = fortran;
    ASSERT_TRUE(write_tensor(path, file));
    const auto alone = read_tensor(path, {.missing_value = 5.0});
    ThreadGroup(GetParam()).run([&](const Communicator& everyone) {
      std::vector<Index> repeated;
      auto mine = read_shared(path, {.missing_value = 5.0}, everyone);
      ASSERT_TRUE(mine);
      EXPECT_LE(mine->file.entries.size(), 60 / everyone.size() + 1);
      auto spread =
          observe_together(mine->file.modes, mine->file.entries, Duplicates::kError, everyone, repeated);
      ASSERT_TRUE(spread);
      EXPECT_EQ(spread->missing, alone->missing);
      const ObservedTensor whole = gather_entries(spread->tensor, everyone);
      const auto expected = ObservedTensor::create(alone->modes, alone->entries);
      EXPECT_EQ(whole.cells(), expected->cells());
      EXPECT_TRUE(test::same_bits(whole.values(), expected->values()));
    });
  }
}

// A format that cannot be divided: everyone reads it and keeps some.
TEST_P(Readers, ShareWhatCannotBeDivided) {
  expect_same(write("list.tensor", "sptensor\n2\n3 4\n3\n1 1 1.5\n2 2 2.5\n3 4 3.5\n"));
}

TEST_P(Readers, SayWhereTheirEntriesStand) {
  const std::string path = write("where.csv", quoted_table(50));
  std::vector<std::string> expected;
  for (Count e = 0; e < 50; ++e) expected.push_back(locate_entry(path, {}, e));
  ThreadGroup(GetParam()).run([&](const Communicator& everyone) {
    auto mine = read_shared(path, {}, everyone);
    ASSERT_TRUE(mine);
    Count before = 0;
    const std::vector<std::int64_t> sizes =
        everyone.gather(std::span<const std::int64_t>(std::vector<std::int64_t>{mine->file.entries.size()}));
    for (int r = 0; r < everyone.rank(); ++r) before += sizes[r];
    for (Count e = 0; e < mine->file.entries.size(); ++e)
      EXPECT_EQ(mine->locate(e), expected[static_cast<std::size_t>(before + e)]);
  });
}

TEST_P(Readers, MergeCellsThatSeveralOfThemHave) {
  std::string text;
  for (int i = 0; i < 300; ++i)
    text +=
        std::to_string(1 + i % 7) + " " + std::to_string(1 + i % 5) + " 1 " + std::to_string(i % 13) + "\n";
  const std::string path = write("twice.tns", text);
  const auto alone = read_tensor(path);
  for (const Duplicates policy :
       {Duplicates::kMean, Duplicates::kSum, Duplicates::kLast, Duplicates::kError}) {
    const auto expected = ObservedTensor::create(alone->modes, alone->entries, policy);
    ThreadGroup(GetParam()).run([&](const Communicator& everyone) {
      auto mine = read_shared(path, {}, everyone);
      std::vector<Index> repeated;
      auto spread = observe_together(mine->file.modes, mine->file.entries, policy, everyone, repeated);
      ASSERT_EQ(spread.ok(), expected.ok());
      if (!spread) {
        EXPECT_EQ(spread.error().message(), expected.error().message());
        EXPECT_EQ(repeated, (std::vector<Index>{0, 0, 0}));
        return;
      }
      EXPECT_EQ(spread->entries, 35);
      EXPECT_EQ(spread->duplicates, expected->duplicates());
      const ObservedTensor whole = gather_entries(spread->tensor, everyone);
      EXPECT_EQ(whole.cells(), expected->cells());
      EXPECT_TRUE(test::same_bits(whole.values(), expected->values()));
    });
  }
}

}  // namespace
}  // namespace lacuna
