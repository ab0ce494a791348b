// SPDX-License-Identifier: MIT
// Wide tables, which have one mode across their columns: read, and written such that what has not changed stays.
#include <fmt/format.h>

#include <limits>

#include "text_files.hpp"

namespace lacuna::text_test {
namespace {

const double kNan = std::numeric_limits<double>::quiet_NaN();

class Wide : public TextFiles {
 protected:
  // Reads `content`, gives the holes the value 7 and writes it under `name`.
  std::string filled(const std::string& content, const ReadOptions& options, const std::string& name) {
    TensorFile file = read_fine("in.csv", content, options);
    for (double& value : file.entries.value)
      if (std::isnan(value)) value = 7.0;
    const auto written = write_tensor(folder.path(name), file);
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error().message());
    return folder.read(name);
  }
};

ReadOptions wide(std::string name = "hour") {
  ReadOptions options;
  options.wide = std::move(name);
  return options;
}

TEST_F(Wide, HeaderNamesAreLabelsOfTheModeAcross) {
  const TensorFile file = read_fine("a.csv", "station,9h,10h\nb,1,\na,NaN,4.50\n", wide());
  EXPECT_EQ(names(file), Labels({"station", "hour"}));
  EXPECT_EQ(file.modes[0].labels, Labels({"a", "b"}));
  EXPECT_EQ(file.modes[1].labels, Labels({"9h", "10h"}));
  EXPECT_EQ(file.entries.cells, (std::vector<Row>{{1, 1, 0, 0}, {0, 1, 0, 1}}));
  EXPECT_EQ(file.entries.value[0], 1.0);
  EXPECT_TRUE(std::isnan(file.entries.value[1]) && std::isnan(file.entries.value[2]));
  EXPECT_EQ(file.entries.value[3], 4.5);
  EXPECT_EQ(file.missing, 2);
  EXPECT_FALSE(file.dense);
}

TEST_F(Wide, ColumnsOfWordsAndDatesSayWhereARowLies) {
  const TensorFile file =
      read_fine("a.csv", "date,site,1,2,3\n2024-01-02,x,1,2,3\n2024-01-01,x,4,5,6\n", wide());
  EXPECT_EQ(names(file), Labels({"date", "site", "hour"}));
  EXPECT_EQ(file.modes[0].labels, Labels({"2024-01-01", "2024-01-02"}));
  EXPECT_EQ(file.modes[0].positions.size(), 2U);
  EXPECT_EQ(sizes(file), Row({2, 1, 3}));
  // Numbers alone: the first column.
  EXPECT_EQ(names(read_fine("b.csv", "id,1,2\n7,1,2\n8,3,4\n", wide())), Labels({"id", "hour"}));
  // Said outright; words are then remarks.
  ReadOptions stated = wide();
  stated.columns = {"id", "year"};
  const TensorFile said = read_fine("c.csv", "id,year,1,2,note\n7,1999,1,2,dry\n8,1999,3,4,wet\n", stated);
  EXPECT_EQ(names(said), Labels({"id", "year", "hour"}));
  EXPECT_EQ(sizes(said), Row({2, 1, 2}));
}

TEST_F(Wide, DatesAcrossArePositions) {
  const TensorFile file = read_fine("a.csv", "s,2024-01-02,2024-01-01\nx,1,2\ny,3,4\n", wide("day"));
  EXPECT_EQ(file.modes[1].labels, Labels({"2024-01-01", "2024-01-02"}));
  EXPECT_EQ(file.modes[1].positions[1] - file.modes[1].positions[0], 86400.0);
  EXPECT_EQ(file.entries.value, Values({1, 2, 3, 4}));
  EXPECT_EQ(positions(file.entries.cells, 1), Row({1, 0, 1, 0}));
}

TEST_F(Wide, SeveralValueColumnsAreAMode) {
  ReadOptions options;
  options.value_columns = {"temperature", "humidity"};
  const TensorFile file = read_fine("a.csv", "site,temperature,hour,humidity\na,20,1,\nb,21,2,60\n", options);
  EXPECT_EQ(names(file), Labels({"site", "hour", "variable"}));
  EXPECT_EQ(file.modes[2].labels, Labels({"humidity", "temperature"}));
  EXPECT_EQ(file.entries.size(), 4);
  EXPECT_EQ(file.missing, 1);
  EXPECT_EQ(filled("site,temperature,hour,humidity\na,20.0,1,\nb,21,2,60\n", options, "out.csv"),
            "site,temperature,hour,humidity\na,20.0,1,7\nb,21,2,60\n");
}

TEST_F(Wide, WhatHasNotChangedStaysByteForByte) {
  ReadOptions options = wide();
  options.columns = {"who"};
  EXPECT_EQ(filled("who, \"a,b\" ,c,note\r\n\"x \"\"y\"\"\",1.50 ,  ,\"n,1\"\r\nz,NA,+2e0,\r\n", options,
                   "out.csv"),
            "who, \"a,b\" ,c,note\r\n\"x \"\"y\"\"\",1.50 ,  7,\"n,1\"\r\nz,7,+2e0,\r\n");
  EXPECT_EQ(filled("who;a;c\nx;1,50;\n", options, "out2.csv"), "who;a;c\nx;1,50;7\n");
  options.missing_value = -999;
  EXPECT_EQ(filled("who,a,c\nx,-999,0.10\n", options, "out3.csv"), "who,a,c\nx,7,0.10\n");
}

TEST_F(Wide, AnotherDelimiterKeepsTheFields) {
  ReadOptions options = wide();
  options.columns = {"who"};
  EXPECT_EQ(filled("who,a,c,note\n\"x, y\",1.50,,\"n\tm\"\n", options, "out.tsv"),
            "who\ta\tc\tnote\nx, y\t1.50\t7\t\"n\tm\"\n");
  EXPECT_EQ(filled("who;a;c;note\nx;1,50;;y\n", options, "out.tsv"), "who\ta\tc\tnote\nx\t1,50\t7\ty\n");
}

TEST_F(Wide, EntriesThatWereDealtMakeANewTableInTheOldColumns) {
  TensorFile file = read_fine("a.csv", "s,z,a\nq,1,2\np,3,4\n", wide());
  file.entries.cells = Cells({{0, 1}, {0, 1}});
  file.entries.value = {4, 1};
  ASSERT_TRUE(write_tensor(folder.path("b.csv"), file).ok());
  EXPECT_EQ(folder.read("b.csv"), "s,z,a\np,,4\nq,1,\n");
  // One row more than was read.
  file = read_fine("a.csv", "s,z,a\nq,1.0,2\np,3,4\n", wide());
  file.modes[0].labels.push_back("r");
  file.modes[0].size = 3;
  file.entries.cells.add({2, 1});
  file.entries.value.push_back(5);
  ASSERT_TRUE(write_tensor(folder.path("b.csv"), file).ok());
  EXPECT_EQ(folder.read("b.csv"), "s,z,a\nq,1.0,2\np,3,4\nr,5,\n");
  // Entries that changed places must not land in old rows.
  file = read_fine("a.csv", "s,z,a\nq,1.0,2\np,3,4\n", wide());
  std::swap(file.entries.cells.mode(0)[0], file.entries.cells.mode(0)[2]);
  std::swap(file.entries.value[0], file.entries.value[2]);
  ASSERT_TRUE(write_tensor(folder.path("b.csv"), file).ok());
  EXPECT_EQ(folder.read("b.csv"), "s,z,a\np,3,4\nq,1,2\n");
  file.entries.cells.add({1, 1});
  file.entries.value.push_back(5);
  EXPECT_FALSE(write_tensor(folder.path("c.csv"), file).ok());  // listed twice
}

TEST_F(Wide, AModelKnowsItsTablesWithoutBeingTold) {
  const TensorFile fitted = read_fine("a.csv", "s,day,z,a\nq,1,1,2\np,2,3,4\n", [] {
    ReadOptions options;
    options.value_columns = {"z", "a"};
    return options;
  }());
  ReadOptions options;
  options.known_modes = &fitted.modes;
  options.index_base = 1;
  const TensorFile cells = read_fine("b.csv", "day,s,a,remark\n2,p,,none\n1,new,,x\n", options);
  EXPECT_EQ(names(cells), Labels({"s", "day", "variable"}));
  EXPECT_EQ(cells.modes[0].labels, Labels({"p", "q", "new"}));
  EXPECT_EQ(cells.entries.cells, (std::vector<Row>{{0, 2}, {1, 0}, {0, 0}}));
  // A line for each cell is still understood, with the options of the fit or without.
  EXPECT_EQ(read_fine("c.csv", "s,day,variable\np,2,z\n", options).entries.cells,
            (std::vector<Row>{{0}, {1}, {1}}));
  options.value_columns = {"z", "a"};
  EXPECT_EQ(read_fine("c.csv", "s,day,variable\np,2,z\n", options).entries.size(), 1);
  EXPECT_EQ(read_fine("d.csv", "s,day,z\np,2,\n", options).entries.cells, (std::vector<Row>{{0}, {1}, {1}}));
}

TEST_F(Wide, RepeatedRowsAreLocated) {
  const std::string path = folder.write("a.csv", "s,1,2,3\nx,1,2,3\n\ny,1,2,3\nx,4,5,6\n");
  EXPECT_EQ(locate_entry(path, wide(), 7), path + ":5");
  EXPECT_EQ(locate_entry(path, wide(), 3), path + ":4");
}

TEST_F(Wide, BadTablesAreNamed) {
  const auto error = [&](const char* content, ReadOptions options = wide()) {
    return read_error("a.csv", content, options);
  };
  EXPECT_EQ(error("s,1,2\nx,1,2\ny,q,4\nz,5,6\n"), "a.csv:3:3: found 'q', expected a number");
  EXPECT_EQ(error("s,1,2\nx,1\ny,3,4\n"), "a.csv:2:4: found 2 columns, expected 3");
  EXPECT_EQ(error("s,1,1\nx,1,2\ny,3,4\n"),
            "a.csv: found two columns called '1', expected a name only once: it is a label of mode 'hour'");
  EXPECT_EQ(error("s,1,\nx,1,2\n"), "a.csv:1:5: found an empty field, expected a label of mode 'hour'");
  EXPECT_NE(error("s,t\nx,y\nz,w\n").find("found no column beside"), std::string::npos);
  EXPECT_EQ(error("\xef\xbb\xbf\xff\xfes,1\nx,2\n"),
            "a.csv: found the column '\\xff\\xfes', expected UTF-8 text");
  EXPECT_NE(error("hour,1\nx,2\n").find("there is a column 'hour'"), std::string::npos);
  ReadOptions headless = wide();
  headless.header = false;
  EXPECT_NE(error("s,1\nx,2\n", headless).find("without a header cannot be wide"), std::string::npos);
  ReadOptions weighted = wide();
  weighted.weight_column = "w";
  EXPECT_NE(error("s,1,w\nx,2,3\n", weighted).find("cannot have a weight column"), std::string::npos);
  ReadOptions misspelt;
  misspelt.value_columns = {"temprature"};
  EXPECT_EQ(error("site,hour,temperature\nx,1,2\n", misspelt),
            "a.csv: there is no column 'temprature' among 'site, hour, temperature', expected one of these "
            "names or a "
            "number from 1 to 3; did you mean 'temperature'?");
}

}  // namespace
}  // namespace lacuna::text_test
