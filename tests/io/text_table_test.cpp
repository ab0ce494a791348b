// SPDX-License-Identifier: MIT
// Reading tables: delimiters, headers, labels, time stamps, and what they are taken for.
#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "text_files.hpp"

namespace lacuna::text_test {
namespace {

class Table : public TextFiles {};

TEST_F(Table, CsvWithHeader) {
  const TensorFile file = read_fine("a.csv", "user,item,rating\nann,tea,5\nbob,milk,3.5\nann,milk,1\n");
  EXPECT_EQ(file.format, Format::kTable);
  EXPECT_EQ(names(file), Labels({"user", "item"}));
  EXPECT_EQ(file.modes[0].labels, Labels({"ann", "bob"}));
  EXPECT_EQ(file.modes[1].labels, Labels({"milk", "tea"}));
  EXPECT_EQ(sizes(file), Row({2, 2}));
  EXPECT_EQ(file.entries.cells, (std::vector<Row>{{0, 1, 0}, {1, 0, 0}}));
  EXPECT_EQ(file.entries.value, Values({5, 3.5, 1}));
  EXPECT_EQ(file.table.delimiter, ",");
  EXPECT_EQ(file.table.header, Labels({"user", "item", "rating"}));
  EXPECT_EQ(file.table.mode_columns, std::vector<int>({0, 1}));
  EXPECT_EQ(file.table.value_column, 2);
  EXPECT_EQ(file.table.columns, 3);
}

TEST_F(Table, QuotesCommasDoubledQuotesAndLineBreaks) {
  const TensorFile file = read_fine(
      "a.csv",
      "\xef\xbb\xbf\"who\",what,value\r\n\"Smith, J.\",\"6\"\" nail\",1\r\n \"two\r\nlines\" , x ,\"2\"\r\n");
  EXPECT_EQ(names(file), Labels({"who", "what"}));
  EXPECT_EQ(file.modes[0].labels, Labels({"Smith, J.", "two\r\nlines"}));
  EXPECT_EQ(file.modes[1].labels, Labels({"6\" nail", "x"}));
  EXPECT_EQ(file.entries.value, Values({1, 2}));
}

TEST_F(Table, WholeNumberLabelsComeInNumericalOrder) {
  const TensorFile file =
      read_fine("a.csv", "10,x9,1\n9,x10,1\n-3,x9,1\n100000000000000000000000,x1,1\n9,x1,1\n");
  EXPECT_EQ(file.modes[0].labels, Labels({"-3", "9", "10", "100000000000000000000000"}));
  EXPECT_EQ(file.modes[1].labels, Labels({"x1", "x9", "x10"}));
  EXPECT_EQ(file.entries.cells, (std::vector<Row>{{2, 1, 0, 3, 1}, {1, 2, 1, 0, 0}}));
  EXPECT_EQ(names(file), Labels({"mode1", "mode2"}));
  EXPECT_TRUE(file.table.header.empty());
}

TEST_F(Table, TheOrderOfLinesChangesNoPosition) {
  std::vector<std::string> rows;
  for (const char* const label : {"week 2", "week 10", "7", "007", "07", "-7", "w", "\xc3\xa9", "week 02x"})
    rows.push_back(std::string("k,") + label + ",1\n");
  const Labels expected = {"-7", "007", "07", "7", "w", "week 2", "week 02x", "week 10", "\xc3\xa9"};
  for (int shift = 0; shift < static_cast<int>(rows.size()); ++shift) {
    std::rotate(rows.begin(), rows.begin() + 1, rows.end());
    std::string content = "a,b,value\n";
    for (const std::string& row : rows) content += row;
    EXPECT_EQ(read_fine("a.csv", content).modes[1].labels, expected);
  }
  // "7" and "007" among whole numbers
  EXPECT_EQ(read_fine("a.csv", "a,b,value\nk,7,1\nk,-1,1\nk,007,1\n").modes[1].labels,
            read_fine("a.csv", "a,b,value\nk,007,1\nk,7,1\nk,-1,1\n").modes[1].labels);
}

TEST_F(Table, ManyLabelsKeepTheirPositions) {
  std::string content = "name,other,value\n";
  Labels expected;
  for (int i = 0; i < 20'000; ++i) {
    // Lengths from 2 to beyond what the label table holds inside its slots.
    expected.push_back(fmt::format("n{}{}", i, std::string(static_cast<std::size_t>(i % 23), 'z')));
    content += expected.back() + ",o" + std::to_string(i % 3000) + "," + std::to_string(i) + "\n";
  }
  const TensorFile file = read_fine("a.csv", content);
  EXPECT_EQ(file.modes[0].labels, expected);
  ASSERT_EQ(file.entries.size(), 20'000);
  for (std::size_t e = 0; e < 20'000; ++e) {
    ASSERT_EQ(file.entries.cells[0][e], e);
    ASSERT_EQ(file.entries.cells[1][e], e % 3000);
  }
}

TEST_F(Table, MovieLensColons) {
  const std::string content = "1::1193::5::978300760\n2::661::3::978302109\n10::1193::4::978301968\n";
  const TensorFile file = read_fine("ratings.dat", content);
  EXPECT_EQ(names(file), Labels({"user", "item"}));
  EXPECT_EQ(file.modes[0].labels, Labels({"1", "2", "10"}));
  EXPECT_EQ(file.modes[1].labels, Labels({"661", "1193"}));
  EXPECT_EQ(file.entries.value, Values({5, 3, 4}));
  EXPECT_EQ(file.table.value_column, 2);
  EXPECT_EQ(file.table.delimiter, "::");

  const TensorFile binned = read_fine("ratings.dat", content, {.bins = {{.column = "time", .width = 600}}});
  EXPECT_EQ(names(binned), Labels({"user", "item", "time"}));
  ASSERT_TRUE(binned.modes[2].binning.has_value());
  EXPECT_EQ(binned.modes[2].binning->origin, 978300760);
  EXPECT_EQ(binned.modes[2].binning->width, 600);
  EXPECT_EQ(positions(binned.entries.cells, 2), Row({0, 2, 2}));
  EXPECT_EQ(binned.modes[2].size, 3U);
  EXPECT_TRUE(binned.modes[2].labels.empty());
  EXPECT_EQ(read_fine("ratings.dat", content, {.bins = {{.column = "4", .width = 600}}}).entries.cells,
            binned.entries.cells);
}

TEST_F(Table, MovieLensTabs) {
  EXPECT_EQ(read_fine("u.data", "196\t242\t3\t881250949\n186\t302\t4\t891717742\n").entries.value,
            Values({3, 4}));
  // As it went round: one line with blanks in place of tabs.
  const TensorFile odd =
      read_fine("u.data", "196\t242 3   881250949\n186\t302\t4\t891717742\n22\t377\t1\t878887116\n");
  EXPECT_EQ(odd.entries.value, Values({3, 4, 1}));
  EXPECT_EQ(names(odd), Labels({"user", "item"}));
  EXPECT_EQ(odd.table.delimiter, "\t");
  // Four number columns whose last is no time stamp are three modes and a value.
  EXPECT_EQ(read_fine("a.tsv", "1\t2\t3\t0.5\n2\t2\t1\t0.25\n").entries.value, Values({0.5, 0.25}));
}

TEST_F(Table, NewerMovieLensLeavesTimeStampsOutUnlessBinned) {
  const std::string content = "userId,movieId,rating,timestamp\n1,2,3.5,1112486027\n1,29,4,1112484676\n";
  EXPECT_EQ(names(read_fine("a.csv", content)), Labels({"userId", "movieId"}));
  const TensorFile binned = read_fine("a.csv", content, {.bins = {{.column = "timestamp", .width = 1000}}});
  EXPECT_EQ(names(binned), Labels({"userId", "movieId", "timestamp"}));
  EXPECT_EQ(positions(binned.entries.cells, 2), Row({1, 0}));
}

TEST_F(Table, TriplesAreFactsOfValueOne) {
  const TensorFile file =
      read_fine("train.txt", "/m/1\t/film/x\t/m/2\r\n/m/2\t\"odd\tlabel\"\t/m/1\r\n\"a\"b\t/film/x\tc\r\n");
  EXPECT_EQ(file.entries.value, Values({1, 1, 1}));
  EXPECT_EQ(file.table.value_column, -1);
  EXPECT_EQ(file.modes[0].labels, Labels({"\"a\"b", "/m/1", "/m/2", "c"}));  // of heads and tails, one set
  EXPECT_EQ(file.modes[2].same_as, 0);
  EXPECT_EQ(file.modes[1].labels, Labels({"/film/x", "odd\tlabel"}));
  EXPECT_EQ(file.missing, 0);
  const TensorFile numbers = read_fine("train.txt", "1\t2\t3\n2\t2\t1\n", {.value_column = "none"});
  EXPECT_EQ(numbers.modes.size(), 3U);
  EXPECT_EQ(numbers.entries.value, Values({1, 1}));
}

TEST_F(Table, DelimitersAreFound) {
  const Values expected = {1.5, 2.5};
  const struct {
    const char* content;
    const char* delimiter;
  } kCases[] = {
      {"a,x;y,1.5\nb,z;w,2.5\n", ","},    {"a;x, y;1.5\nb;z;2.5\n", ";"},     {"a|x|1.5\nb|z|2.5\n", "|"},
      {"a\tx y\t1.5\nb\tz\t2.5\n", "\t"}, {"a::x y::1.5\nb::z::2.5\n", "::"}, {"a  x 1.5\n b z\t2.5\n", " "},
  };
  for (const auto& c : kCases) {
    const TensorFile file = read_fine("a.csv", c.content);
    EXPECT_EQ(file.entries.value, expected) << c.content;
    EXPECT_EQ(file.table.delimiter, c.delimiter) << c.content;
  }
  EXPECT_EQ(read_fine("a.csv", "a,1;x;1.5\nb,1;x;2.5\n", {.delimiter = ";"}).modes[0].labels,
            Labels({"a,1", "b,1"}));
  EXPECT_EQ(read_fine("a.csv", "a@x@1.5\nb@z@2.5\n", {.delimiter = "@"}).entries.value, expected);
}

TEST_F(Table, ColumnsByNameAndNumber) {
  const std::string content = "id,stars,place,what\n1,5,here,tea\n2,3,there,milk\n";
  const ReadOptions by_name{.columns = {"what", "place"}, .value_column = "Stars"};
  const TensorFile file = read_fine("a.csv", content, by_name);
  EXPECT_EQ(names(file), Labels({"what", "place"}));
  EXPECT_EQ(file.table.mode_columns, std::vector<int>({3, 2}));
  EXPECT_EQ(file.entries.value, Values({5, 3}));
  const ReadOptions by_number{.columns = {"4", "3"}, .value_column = "2"};
  EXPECT_EQ(read_fine("a.csv", content, by_number).modes[0].labels, file.modes[0].labels);
  EXPECT_EQ(read_fine("a.csv", "x,a,1\ny,a,2\n", {.columns = {"2"}, .value_column = "3"}).modes.size(), 1U);

  EXPECT_EQ(
      read_error("a.csv", content, {.columns = {"who"}}),
      "a.csv: there is no column 'who' among 'id, stars, place, what', expected one of these names or a "
      "number from 1 to 4");
  EXPECT_EQ(read_error("a.csv", content, {.columns = {"what", "4"}, .value_column = "2"}),
            "a.csv: the column '4' is named twice");
  EXPECT_EQ(read_error("a.csv", content, {.columns = {"2"}, .value_column = "stars"}),
            "a.csv: the column 'stars' cannot be both a mode and the value");
  EXPECT_EQ(read_error("a.csv", content, {.columns = {"what"}, .value_column = "stars", .bins = {{"id", 5}}}),
            "a.csv: the binned column 'id' is not among the mode columns");
  EXPECT_EQ(
      read_error("a.csv", "1,5,here\n2,3,there\n"),
      "a.csv: found numbers in column 1 but not in the last one, expected to be told the value column, or "
      "'none' when each line stands for a 1");
}

TEST_F(Table, YIsAValueOnlyInTheLastColumn) {
  EXPECT_EQ(names(read_fine("a.csv", "x,y,light\n1,2,0.5\n")), Labels({"x", "y"}));
  EXPECT_EQ(names(read_fine("a.csv", "x,z,Y\n1,2,0.5\n")), Labels({"x", "z"}));
}

TEST_F(Table, HeaderOptionOverrules) {
  EXPECT_EQ(read_fine("a.csv", "1,2,3\n1,2,4\n", {.header = true}).entries.size(), 1);
  EXPECT_EQ(read_fine("a.csv", "h,r,t\na,b,c\n", {.header = true}).entries.size(), 1);
  EXPECT_EQ(read_fine("a.csv", "h,r,t\na,b,c\n").entries.size(), 2);
  EXPECT_EQ(read_error("a.csv", "user,item,rating\n1,2,3\n2,2,4\n", {.header = false}),
            "a.csv:1:11: found 'rating', expected a number");
}

TEST_F(Table, EmptyValueIsMissing) {
  const TensorFile file = read_fine("a.csv", "a,b,value\nx,y,\nx,z,nan\nx,w,NA\nu,y,2\n");
  EXPECT_EQ(file.missing, 3);
  EXPECT_EQ(file.entries.value[3], 2);
  EXPECT_TRUE(std::isnan(file.entries.value[0]));
}

TEST_F(Table, IsoDatesAndNumbersAreBinned) {
  const TensorFile file =
      read_fine("a.csv",
                "when,who,value\n2024-02-28,a,1\n2024-02-29T23:59:59Z,a,2\n2024-03-01 00:00,b,3\n"
                "2024-03-01T01:30:00.25+02:00,b,4\n1709164800.9,b,5\n",
                {.bins = {{.column = "when", .width = 86400}}});
  EXPECT_EQ(file.modes[0].binning->origin, 1709078400);
  EXPECT_EQ(positions(file.entries.cells, 0), Row({0, 1, 2, 1, 1}));
  const ReadOptions bins{.bins = {{.column = "when", .width = 10}}};
  for (const char* const bad :
       {"2023-02-29", "2024-13-01", "2024-01-01 25:00", "2024-01-01x", "soon", "", "inf", "1e19"}) {
    EXPECT_EQ(read_error("a.csv", "when,who,value\n2024-01-01,a,1\n" + std::string(bad) + ",a,1\n", bins),
              "a.csv:3:1: found '" + std::string(bad) +
                  "', expected a time stamp: seconds, or YYYY-MM-DD HH:MM:SS");
  }
  EXPECT_EQ(
      read_error("a.csv", "when,who,value\n0,a,1\n1000000000000,a,1\n", bins),
      "a.csv: found time stamps that span 100000000001 bins of 10 seconds in mode 'when', expected at most "
      "4294967294 bins");
}

TEST_F(Table, PlainIndices) {
  const ReadOptions indices{.table_indices = true};
  const TensorFile one = read_fine("a.csv", "i,j,value\n3,1,5\n1,2,6\n", indices);
  EXPECT_EQ(one.index_base, 1);
  EXPECT_EQ(sizes(one), Row({3, 2}));
  EXPECT_TRUE(one.modes[0].labels.empty());
  const TensorFile zero = read_fine("a.csv", "i,j,value\n3,1,5\n1,0,6\n", indices);
  EXPECT_EQ(zero.index_base, 0);
  EXPECT_EQ(sizes(zero), Row({4, 2}));
  EXPECT_EQ(read_error("a.csv", "i,j,value\n3,1,5\n1,0,6\n", {.index_base = 1, .table_indices = true}),
            "a.csv:3:3: found '0', expected an index from 1 to 4294967294");
  EXPECT_EQ(read_error("a.csv", "i,j,value\n3,x,5\n", indices),
            "a.csv:2:3: found 'x', expected an index: a whole number >= 0");
  EXPECT_EQ(sizes(read_fine("a.csv", "i,j,value\n3,1,5\n", {.shape = {5, 5}, .table_indices = true})),
            Row({5, 5}));
  EXPECT_EQ(read_error("a.csv", "i,j,value\n5,1,5\n0,1,2\n", {.shape = {5, 5}, .table_indices = true}),
            "a.csv: found 6 positions in mode 'i', expected 5 as the shape states");
}

TEST_F(Table, BadTablesAreNamed) {
  const struct {
    const char* content;
    const char* message;
  } kCases[] = {
      {"u,i,value\na,b,1\na,b,abc\n", "a.csv:3:5: found 'abc', expected a number"},
      {"u,i,value\na,b,1\na,b,-inf\n", "a.csv:3:5: found '-inf', expected a finite number"},
      {"u,i,value\n\xc3\xa9,b,1\n\xc3\xa9\xc3\xa9,,1\n",
       "a.csv:3:4: found an empty field, expected a label of mode 'i'; --wide if values lie across the "
       "columns"},
      {"u,i,value\na,\"\",1\n",
       "a.csv:2:3: found an empty field, expected a label of mode 'i'; --wide if values lie across the "
       "columns"},
      {"u,i,value\na,b,1\na,b\n", "a.csv:3:4: found 2 columns, expected 3"},
      {"u,i,value\na,b,1\na,b,1,7\n", "a.csv:3:7: found 4 columns, expected 3"},
      {"u,i,value\na,b,1\na,\"b,1\nc,d,2\n", "a.csv:3:3: found a quote that is never closed"},
      {"u,i,value\na,b,1\na,\"b\"c,1\n",
       "a.csv:3:6: found text behind a closing quote, expected a delimiter (a quote inside a field is "
       "doubled)"},
      {"u,i,value\na,caf\xe9,1\n", "a.csv:2:3: found 'caf\\xe9', expected UTF-8 text"},
      {"u,i,value\n", "a.csv: no entries"},
      {"\n \n", "a.csv: no entries"},
      {"1\n2\n3\n", "a.csv: found 1 column and delimiter ',', expected columns for modes and a value"},
  };
  for (const auto& c : kCases) EXPECT_EQ(read_error("a.csv", c.content), c.message);
  EXPECT_EQ(read_error("a.csv", "u,i,value\na,b,1\n", {.shape = {1, 2}}),
            "a.csv: found 1 labels in mode 'i', expected 2 as the shape states");
}

// The bad line is the sample's only one, so that it must not decide the delimiter either.
TEST_F(Table, OneBadLineDoesNotChangeTheDelimiter) {
  std::string content;
  for (int i = 0; i < 20; ++i) content += "a b,c d," + std::to_string(i) + "\n";
  EXPECT_EQ(read_error("a.csv", content + "a b c d\n"), "a.csv:21:8: found 1 column, expected 3");
}

const char* const kWeighted = "user,item,rating,times\nann,tea,5,2\nbob,milk,3.5,0.25\nann,milk,1,0\n";

TEST_F(Table, TheWeightColumnIsNeitherModeNorValue) {
  for (const char* column : {"times", "TIMES", "4"}) {
    const TensorFile file = read_fine("a.csv", kWeighted, {.weight_column = column});
    EXPECT_EQ(names(file), Labels({"user", "item"})) << column;
    EXPECT_EQ(file.entries.value, Values({5, 3.5, 1}));
    EXPECT_EQ(file.entries.weight, Values({2, 0.25, 0}));
    EXPECT_EQ(file.table.weight_column, 3);
  }
  EXPECT_TRUE(read_fine("a.csv", "user,item,rating\nann,tea,5\n").entries.weight.empty());
}

TEST_F(Table, AWeightColumnMayStandAnywhereAndHaveAnyName) {
  // "weight" alone would be taken for the value.
  const TensorFile first =
      read_fine("a.csv", "weight,user,item,y\n2,ann,tea,5\n3,bob,milk,4\n", {.weight_column = "weight"});
  EXPECT_EQ(names(first), Labels({"user", "item"}));
  EXPECT_EQ(first.entries.value, Values({5, 4}));
  EXPECT_EQ(first.entries.weight, Values({2, 3}));
  const TensorFile ahead =
      read_fine("a.csv", "user,item,weight,z\nann,tea,2,5\nbob,milk,3,4\n", {.weight_column = "weight"});
  EXPECT_EQ(names(ahead), Labels({"user", "item"}));
  EXPECT_EQ(ahead.entries.value, Values({5, 4}));
  EXPECT_EQ(ahead.entries.weight, Values({2, 3}));
  const TensorFile bare = read_fine("a.csv", "ann,tea,5,2\nbob,milk,4,3\n", {.weight_column = "4"});
  EXPECT_EQ(bare.modes.size(), 2U);
  EXPECT_EQ(bare.entries.value, Values({5, 4}));
  EXPECT_EQ(bare.entries.weight, Values({2, 3}));
  EXPECT_TRUE(bare.table.header.empty());
  const TensorFile facts =
      read_fine("a.csv", "who,what,count\nann,tea,2\nbob,milk,3\n", {.weight_column = "count"});
  EXPECT_EQ(names(facts), Labels({"who", "what"}));
  EXPECT_EQ(facts.entries.value, Values({1, 1}));
  EXPECT_EQ(facts.entries.weight, Values({2, 3}));
  const TensorFile chosen = read_fine("a.csv", "a,b,c,d,e\nx,y,1,z,4\nx,w,2,z,5\n",
                                      {.columns = {"a", "b"}, .value_column = "c", .weight_column = "e"});
  EXPECT_EQ(names(chosen), Labels({"a", "b"}));
  EXPECT_EQ(chosen.entries.weight, Values({4, 5}));
}

TEST_F(Table, AWeightThatIsNoneNamesItsPlace) {
  const auto message = [&](const std::string& weight) {
    return read_error("a.csv", "user,item,rating,w\nann,tea,5,2\nbob,milk,3," + weight + "\n",
                      {.weight_column = "w"});
  };
  for (const char* weight : {"heavy", "-1", "-1e-9", "nan", "inf", "NA"})
    EXPECT_EQ(message(weight),
              fmt::format("a.csv:3:12: found '{}', expected a weight: a number >= 0", weight));
  EXPECT_EQ(message(""), "a.csv:3:12: found '', expected a weight: a number >= 0");
}

TEST_F(Table, AWeightColumnThatCannotBe) {
  EXPECT_NE(read_error("a.csv", kWeighted, {.weight_column = "tmes"}).find("there is no column 'tmes'"),
            std::string::npos);
  EXPECT_EQ(read_error("a.csv", kWeighted, {.value_column = "times", .weight_column = "times"}),
            "a.csv: the column 'times' cannot be both the weight and the value");
  EXPECT_EQ(read_error("a.csv", kWeighted, {.columns = {"user", "times"}, .weight_column = "times"}),
            "a.csv: the column 'times' cannot be both a mode and the weight");
  EXPECT_EQ(
      read_error("a.csv", kWeighted, {.weight_column = "times", .bins = {{.column = "times", .width = 60}}}),
      "a.csv: the column 'times' cannot be both a mode and the weight");
  EXPECT_EQ(read_error("a.tns", "1 1 2.0\n", {.weight_column = "3"}),
            "a.tns: found a tns file, expected a table for the weight column '3'");
}

TEST_F(Table, KnownModesMayComeWithoutWeights) {
  const TensorFile trained = read_fine("a.csv", kWeighted, {.weight_column = "times"});
  const auto known = [&](const char* content) {
    return read_fine("b.csv", content,
                     {.index_base = 1, .weight_column = "times", .known_modes = &trained.modes});
  };
  const TensorFile without = known("user,item,rating\nbob,tea,2\n");
  EXPECT_EQ(without.entries.value, Values({2}));
  EXPECT_TRUE(without.entries.weight.empty());
  EXPECT_EQ(without.table.weight_column, -1);
  const TensorFile with = known("times,item,user,rating\n7,tea,bob,2\n");
  EXPECT_EQ(with.entries.cells, (std::vector<Row>{{1}, {1}}));
  EXPECT_EQ(with.entries.value, Values({2}));
  EXPECT_EQ(with.entries.weight, Values({7}));
  const TensorFile cells = known("user,item,times\nbob,tea,7\n");
  EXPECT_TRUE(std::isnan(cells.entries.value[0]));
  EXPECT_EQ(cells.entries.weight, Values({7}));
}

}  // namespace
}  // namespace lacuna::text_test
