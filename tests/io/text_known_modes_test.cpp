// SPDX-License-Identifier: MIT
// Reading tables whose cells speak of the modes of a fitted model.
#include <stdexcept>

#include "text_files.hpp"

namespace lacuna::text_test {
namespace {

class KnownModes : public TextFiles {
 protected:
  const std::vector<Mode> modes{{.name = "user", .size = 2, .labels = {"ann", "bob"}},
                                {.name = "item", .size = 3, .labels = {"x", "y", "z"}},
                                {.name = "time", .size = 4, .labels = {}, .binning = Binning{1000, 10}}};
  const ReadOptions options{.known_modes = &modes};
};

TEST_F(KnownModes, ColumnsAreFoundByName) {
  const TensorFile file = read_fine(
      "a.csv", "time,rating,junk,item,user\n1000,5,q,z,bob\n1039,,q,x,eve\n999,1,q,w,ann\n", options);
  EXPECT_EQ(file.entries.cells, (std::vector<Row>{{1, 2, 0}, {2, 0, 3}, {0, 3, 4}}));
  EXPECT_EQ(file.entries.value[0], 5);
  EXPECT_EQ(file.missing, 1);
  EXPECT_EQ(names(file), Labels({"user", "item", "time"}));
  EXPECT_EQ(sizes(file), Row({3, 4, 5}));
  EXPECT_EQ(file.modes[2].labels, Labels({"1000", "1010", "1020", "1030", "990"}));
  EXPECT_EQ(file.modes[0].labels, Labels({"ann", "bob", "eve"}));
  EXPECT_EQ(file.table.mode_columns, std::vector<int>({4, 3, 0}));
}

TEST_F(KnownModes, ColumnsAreTakenInOrderWithoutAHeader) {
  const TensorFile bare = read_fine("a.csv", "ann,y,1015\nbob,z,5000\n", options);
  EXPECT_EQ(bare.entries.cells, (std::vector<Row>{{0, 1}, {1, 2}, {1, 4}}));
  EXPECT_EQ(bare.missing, 2);
  EXPECT_EQ(bare.modes[2].labels.back(), "5000");
  EXPECT_EQ(read_fine("a.csv", "ann,y,1015\n", options).modes[2].binning->origin, 1000);
  EXPECT_EQ(read_error("a.csv", "ann,\xff,1015\n", options), "a.csv:1:5: found '\\xff', expected UTF-8 text");
  const TensorFile valued = read_fine("a.csv", "ann,y,1015,0.5\nbob,z,1000\nann,x,1000,\n", options);
  EXPECT_EQ(valued.entries.value[0], 0.5);
  EXPECT_EQ(valued.missing, 2);
  EXPECT_EQ(read_fine("a.csv", "ann,y,1015\n", {.value_column = "none", .known_modes = &modes}).entries.value,
            Values({1}));
  EXPECT_EQ(read_error("a.csv", "ann,y\nbob,z\n", options),
            "a.csv: found 2 columns, expected the modes user, item, time and maybe a value");
}

// A header that names some of the modes, or none, is never read by the places of its columns: films would become users.
TEST_F(KnownModes, AHeaderNamesAllModes) {
  EXPECT_EQ(
      read_error("a.csv", "item,usr,time,stars\nx,ann,1015,4\n", options),
      "a.csv: found the header 'item, usr, time, stars' without 'user', expected the names of all modes, "
      "user, item, time, or to be told which columns they are; does 'usr' stand for 'user'?");
  EXPECT_EQ(read_error("a.csv", "user,item,stars\nann,x,4\n", options),
            "a.csv: found the header 'user, item, stars' without 'time', expected the names of all modes, "
            "user, item, time, or to be told which columns they are");
  EXPECT_EQ(
      read_error("a.csv", "a,b,c,d\nann,x,1015,4\n", options),
      "a.csv: found the header 'a, b, c, d' without 'user', expected the names of all modes, user, item, "
      "time, or to be told which columns they are");
  const TensorFile told =
      read_fine("a.csv", "b,a,c,d\nx,ann,1015,4\n", {.columns = {"a", "b", "c"}, .known_modes = &modes});
  EXPECT_EQ(told.entries.cells, (std::vector<Row>{{0}, {0}, {1}}));
  EXPECT_EQ(read_fine("a.csv", "Item,USER,time,stars\nx,ann,1015,4\n", options).entries.cells,
            told.entries.cells);
}

// Nor is a line of data a header because a label is called as a mode, or a mode has a number for a name.
TEST_F(KnownModes, LabelsMayBeCalledAsModes) {
  const std::vector<Mode> kinds{{.name = "kind", .size = 2, .labels = {"item", "other"}},
                                {.name = "item", .size = 2, .labels = {"x", "y"}}};
  EXPECT_EQ(read_fine("a.csv", "item,y,3\nother,x,4\n", {.known_modes = &kinds}).entries.value,
            Values({3, 4}));
  const std::vector<Mode> numbered{{.name = "0", .size = 2, .labels = {}},
                                   {.name = "1", .size = 2, .labels = {}}};
  EXPECT_EQ(read_fine("a.csv", "1,2,3\n2,2,4\n", {.index_base = 1, .known_modes = &numbered}).entries.value,
            Values({3, 4}));
}

// Modes that never had a name are called by their places, whatever a header calls the columns there.
TEST_F(KnownModes, NamelessModesAreTakenInOrder) {
  const std::vector<Mode> nameless{{.name = "mode1", .size = 2, .labels = {"ann", "bob"}},
                                   {.name = "mode2", .size = 3, .labels = {"x", "y", "z"}}};
  EXPECT_EQ(read_fine("a.csv", "user,item,stars\nbob,x,4\n", {.known_modes = &nameless}).entries.cells,
            (std::vector<Row>{{1}, {0}}));
  EXPECT_EQ(
      read_error("a.csv", "mode2,item,stars\nx,bob,4\n", {.known_modes = &nameless}),
      "a.csv: found the header 'mode2, item, stars' without 'mode1', expected the names of all modes, mode1, "
      "mode2, or to be told which columns they are");
}

TEST_F(KnownModes, MovieLensFilesFit) {
  const std::vector<Mode> numbered{{.name = "user", .size = 2, .labels = {"1", "2"}},
                                   {.name = "item", .size = 1, .labels = {"7"}}};
  const std::string content = "2::7::5::978300760\n3::7::4::978300761\n";
  const TensorFile two = read_fine("a.dat", content, {.known_modes = &numbered});
  EXPECT_EQ(two.entries.cells, (std::vector<Row>{{1, 2}, {0, 0}}));
  EXPECT_EQ(two.entries.value, Values({5, 4}));
  auto timed = numbered;
  timed.push_back({.name = "time", .size = 1, .labels = {}, .binning = Binning{978300760, 1}});
  EXPECT_EQ(positions(read_fine("a.dat", content, {.known_modes = &timed}).entries.cells, 2), Row({0, 1}));
}

TEST_F(KnownModes, PlainModesNeedTheBase) {
  const std::vector<Mode> plain{{.name = "i", .size = 2, .labels = {}},
                                {.name = "j", .size = 2, .labels = {}}};
  const TensorFile file = read_fine("a.csv", "i,j\n1,2\n2,3\n", {.index_base = 1, .known_modes = &plain});
  EXPECT_EQ(file.entries.cells, (std::vector<Row>{{0, 1}, {1, 2}}));
  EXPECT_EQ(read_error("a.csv", "i,j\n1,x\n", {.index_base = 1, .known_modes = &plain}),
            "a.csv:2:3: found 'x', expected an index: a whole number >= 1");
  const std::string path = folder.path("a.csv");
  EXPECT_THROW((void)read_tensor(path, {.known_modes = &plain}), std::invalid_argument);
}

// The options that the model's own table was read with may name columns that cells to predict do not have.
TEST_F(KnownModes, OptionsOfTheFitMayStay) {
  const ReadOptions fit{.columns = {},
                        .value_column = "rating",
                        .bins = {{.column = "time", .width = 10}},
                        .known_modes = &modes};
  EXPECT_EQ(read_fine("a.csv", "ann,y,1015\nbob,z,1000\n", fit).entries.cells,
            (std::vector<Row>{{0, 1}, {1, 2}, {1, 0}}));
  EXPECT_EQ(read_fine("a.csv", "item,user,time\ny,ann,1015\n", fit).missing, 1);
  EXPECT_EQ(read_fine("a.csv", "item,user,rating,time\ny,ann,2,1015\n", fit).entries.value, Values({2}));
}

TEST_F(KnownModes, LeftOverTimeStampsAreNoValues) {
  const std::vector<Mode> two{modes[0], modes[1]};
  EXPECT_EQ(read_fine("a.csv", "user,item,timestamp\nann,x,978300760\n", {.known_modes = &two}).missing, 1);
  EXPECT_EQ(read_fine("a.csv", "user,item,stars\nann,x,4\n", {.known_modes = &two}).entries.value,
            Values({4}));
}

}  // namespace
}  // namespace lacuna::text_test
