// SPDX-License-Identifier: MIT
// Writing tables, and reading them back.
#include <limits>

#include "text_files.hpp"

namespace lacuna::text_test {
namespace {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

class TableWriter : public TextFiles {
 protected:
  // Writes the tensor and returns the text.
  std::string written(const std::string& name, const TensorFile& file) {
    const auto result = write_tensor(folder.path(name), file);
    EXPECT_TRUE(result.ok()) << (result.ok() ? "" : result.error().message());
    return folder.read(name);
  }
};

TensorFile odd_labels() {
  TensorFile file;
  file.format = Format::kTable;
  file.modes = {{.name = "who, really",
                 .size = 8,
                 .labels = {"a,b", "\"q\"", " pad ", "two\nlines", "a\tb", "x::y", "c:", "plain"}},
                {.name = "n", .size = 3, .labels = {}},
                {.name = "t", .size = 4, .labels = {}, .binning = Binning{100, 7}}};
  file.entries.cells = {{0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 0, 1, 2, 0, 1}, {3, 2, 1, 0, 3, 2, 1, 0}};
  file.entries.value = {0.1, -2, kNan, 1e300, 5, 6, 7, 8};
  file.missing = 1;
  return file;
}

TEST_F(TableWriter, WithoutALayoutItIsCsvWithAHeader) {
  TensorFile file = odd_labels();
  EXPECT_EQ(
      written("a.csv", file).substr(0, 78),
      "\"who, really\",n,t,value\n\"a,b\",1,121,0.1\n\"\"\"q\"\"\",2,114,-2\n\" pad \",3,107,\n\"two\nl");
}

TEST_F(TableWriter, OddLabelsSurviveEveryDelimiter) {
  const TensorFile file = odd_labels();
  for (const char* const delimiter : {",", ";", "|", "\t", "::", " "}) {
    TensorFile laid_out = file;
    laid_out.table = {.delimiter = delimiter,
                      .header = {"value", "who", "n", "t"},
                      .mode_columns = {1, 2, 3},
                      .value_column = 0,
                      .columns = 4};
    const std::string name = delimiter;
    if (name == "\t" || name == "::" || name == " ") {
      const auto refused = write_tensor(folder.path("a.txt"), laid_out);
      ASSERT_FALSE(refused.ok());
      EXPECT_EQ(refused.error().what,
                "the label 'two\\x0alines' of mode 'who, really' holds a line break, which only CSV can");
      laid_out.modes[0].labels[3] = "two lines";
    }
    const std::string text = written("a.txt", laid_out);
    const ReadOptions options{
        .format = Format::kTable, .delimiter = delimiter, .bins = {{.column = "t", .width = 7}}};
    const auto file_again = read_tensor(folder.path("a.txt"), options);
    ASSERT_TRUE(file_again.ok()) << delimiter << " " << file_again.error().message() << "\n" << text;
    for (std::size_t e = 0; e < file.entries.value.size(); ++e)
      EXPECT_EQ(file_again->modes[0].labels[file_again->entries.cells[0][e]],
                laid_out.modes[0].labels[file.entries.cells[0][e]])
          << delimiter;
    EXPECT_EQ(positions(file_again->entries.cells, 2), positions(file.entries.cells, 2));
    EXPECT_EQ(file_again->table.header, laid_out.table.header);
    EXPECT_EQ(file_again->missing, 1);
  }
}

TEST_F(TableWriter, ReadFilesComeOutAsTheyWere) {
  const char* const kTexts[] = {
      "user,item,rating\nann,tea,5\nbob,milk,3.5\nann,milk,\n",
      "rating;user;item\n5;ann;tea\n",
      "a|b|0.25\n",
  };
  for (const char* const text : kTexts) EXPECT_EQ(written("b.csv", read_fine("a.csv", text)), text);
  const char* const triples = "a\tr\tb\nb\tr\tc\n";
  EXPECT_EQ(written("b.txt", read_fine("a.txt", triples)), triples);
  const char* const labelled = "1::b c::5\n2::d::3\n";
  EXPECT_EQ(written("b.dat", read_fine("a.dat", labelled)), labelled);
}

TEST_F(TableWriter, OtherColumnsAreLeftOut) {
  TensorFile file = read_fine("u.data", "1\t7\t5\t978300760\n2\t7\t4\t978300761\n");
  EXPECT_EQ(written("out.data", file), "1\t7\t5\n2\t7\t4\n");
  EXPECT_EQ(written("out.csv", file), "1,7,5\n2,7,4\n");
  file = read_fine("a.csv", "id,who,what,rating\nq,a,b,1\n", {.columns = {"who", "what"}});
  EXPECT_EQ(written("b.tsv", file), "who\twhat\trating\na\tb\t1\n");
}

TEST_F(TableWriter, FactsGetAValueColumnWhenValuesAreNotAllOne) {
  TensorFile file = read_fine("a.txt", "a\tr\tc\nb\tr\td\n");
  file.entries.value = {0.75, kNan};
  EXPECT_EQ(written("b.txt", file), "a\tr\tc\t0.75\nb\tr\td\t\n");
  const TensorFile again = read_fine("c.txt", folder.read("b.txt"));
  expect_same_entries(again.entries, file.entries);
}

TEST_F(TableWriter, GzippedTablesRoundTrip) {
  const TensorFile file = read_fine("a.csv", "user,item,rating\nann,tea,5\nbob,milk,3.5\n");
  const std::string packed = written("b.csv.gz", file);
  EXPECT_EQ(packed.substr(0, 2), "\x1f\x8b");
  const auto again = read_tensor(folder.path("b.csv.gz"));
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->modes[1].labels, file.modes[1].labels);
  expect_same_entries(again->entries, file.entries);
}

TEST_F(TableWriter, FailureLeavesNothingBehind) {
  TensorFile file = odd_labels();
  file.entries.cells[0][1] = kUnseen;
  const auto result = write_tensor(folder.path("a.csv"), file);
  ASSERT_FALSE(result.ok());
  EXPECT_EQ(result.error().what, "entry 2 lies outside mode 'who, really' of size 8");
  EXPECT_EQ(folder.files(), 0U);
  EXPECT_EQ(write_tensor(folder.path("no/a.csv"), odd_labels()).error().kind, ErrorKind::kOutput);
}

TEST_F(TableWriter, WeightsStayInTheirColumn) {
  const std::string text = "w,user,item,rating\n2,ann,tea,5\n0.25,bob,milk,3.5\n";
  TensorFile file = read_fine("a.csv", text, {.weight_column = "w"});
  EXPECT_EQ(written("b.csv", file), text);
  file.entries.weight.clear();
  EXPECT_EQ(written("b.csv", file), "user,item,rating\nann,tea,5\nbob,milk,3.5\n");
}

TEST_F(TableWriter, WeightsWithoutALayoutComeLast) {
  TensorFile file = odd_labels();
  file.entries.weight = {1, 2, 3, 4, 5, 6, 7, 0.5};
  const std::string text = written("a.csv", file);
  EXPECT_EQ(text.substr(0, 48), "\"who, really\",n,t,value,weight\n\"a,b\",1,121,0.1,1");
  const TensorFile again =
      read_fine("a.csv", text,
                {.value_column = "value", .weight_column = "weight", .bins = {{.column = "t", .width = 7}}});
  EXPECT_EQ(again.entries.weight, file.entries.weight);
}

TEST_F(TableWriter, OnlyTablesHoldWeights) {
  TensorFile file;
  file.modes = {{.name = "a", .size = 2, .labels = {}}, {.name = "b", .size = 2, .labels = {}}};
  file.entries = {.cells = {{0, 1}, {0, 1}}, .value = {1, 2}, .weight = {1, 2}};
  for (const char* name : {"a.tns", "a.npy", "a.npz", "a.mat"}) {
    const auto refused = write_tensor(folder.path(name), file);
    ASSERT_FALSE(refused.ok()) << name;
    EXPECT_EQ(refused.error().kind, ErrorKind::kOutput);
    EXPECT_NE(refused.error().what.find("weights"), std::string::npos);
  }
  EXPECT_EQ(folder.files(), 0U);
}

}  // namespace
}  // namespace lacuna::text_test
