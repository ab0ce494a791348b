// SPDX-License-Identifier: MIT
// Tables of features and lists of edges: what is read from them, and how they are refused.
#include <gtest/gtest.h>

#include <cmath>
#include <lacuna/io/files.hpp>

#include "io/text_files.hpp"

namespace lacuna {
namespace {

class SideFiles : public testing::Test {
 protected:
  static Mode users() { return {.name = "user", .size = 3, .labels = {"a", "b", "c"}}; }

  Mode features(const std::string& text, Mode mode = users(), const PositionNames& names = {}) {
    const auto read = read_features(folder_.write("users.csv", text), names, mode);
    EXPECT_TRUE(read) << (read ? "" : read.error().message());
    if (read) last_ = *read;
    return mode;
  }
  std::string refused(const std::string& text, Mode mode = users(), const PositionNames& names = {}) {
    return told(read_features(folder_.write("users.csv", text), names, mode));
  }
  std::string graph_refused(const std::string& text, Mode mode = users()) {
    return told(read_graph(folder_.write("edges.csv", text), {}, mode));
  }

  text_test::TempFolder folder_;
  SideFile last_;

 private:
  std::string told(const Result<SideFile>& read) {
    if (read) return "";
    EXPECT_EQ(read.error().kind, ErrorKind::kInput);
    std::string message = read.error().message();
    const std::string prefix = folder_.path("");
    for (auto at = message.find(prefix); at != std::string::npos; at = message.find(prefix))
      message.erase(at, prefix.size());
    return message;
  }
};

double number(const Mode& mode, Index position, const std::string& column) {
  const SideInformation& side = *mode.side;
  for (std::int64_t j = side.start[position]; j < side.start[position + 1]; ++j)
    if (side.names[side.column[j]] == column) return side.value[j];
  return 0.0;
}

TEST_F(SideFiles, ReadsNumbersAndCategoriesByLabel) {
  const Mode mode = features("user,age,job\nc,30,x\na,10,y\nb,20,x\n");
  ASSERT_TRUE(mode.side);
  EXPECT_EQ(mode.side->names, (std::vector<std::string>{"age", "job=x", "all"}));
  EXPECT_LT(number(mode, 0, "age"), 0.0);
  EXPECT_EQ(number(mode, 1, "age"), 0.0);
  EXPECT_NEAR(number(mode, 2, "age"), -number(mode, 0, "age"), 1e-12);
  EXPECT_GT(number(mode, 2, "job=x"), 0.0);
  EXPECT_EQ(number(mode, 0, "job=x"), 0.0);
  EXPECT_EQ(last_.listed, 3);
  EXPECT_EQ(last_.added, 0U);
}

TEST_F(SideFiles, TheOrderOfLinesChangesNothingAndNewLabelsComeLast) {
  const Mode one = features("user,age\nc,30\na,10\nnew10,40\nnew9,50\n");
  EXPECT_EQ(last_.added, 2U);
  EXPECT_EQ(one.size, 5U);
  EXPECT_EQ(one.labels, (std::vector<std::string>{"a", "b", "c", "new9", "new10"}));
  const Mode other = features("user,age\nnew9,50\nnew10,40\na,10\nc,30\n");
  EXPECT_EQ(one.labels, other.labels);
  EXPECT_EQ(*one.side, *other.side);
  EXPECT_EQ(one.side->start[1] + 1, one.side->start[2]);  // b has nothing but what all have: the mean
}

TEST_F(SideFiles, TheModeMayBeAnyColumnAndAHeaderMayLack) {
  const Mode named = features("age;USER\n10;a\n20;b\n30;c\n");
  const Mode bare = features("a|10\nb|20\nc|30\n");
  EXPECT_EQ(named.side->value, bare.side->value);
  EXPECT_EQ(bare.side->names, (std::vector<std::string>{"column 2", "all"}));
  const Mode unnamed = features("id\tage\na\t10\nb\t20\nc\t30\n");
  EXPECT_EQ(unnamed.side->names, (std::vector<std::string>{"age", "all"}));
}

TEST_F(SideFiles, ReadsTheFilesOfMovieLens) {
  Mode user{.name = "user", .size = 4, .labels = {"1", "2", "3", "4"}};
  user = features(
      "1|24|M|technician|85711\n2|53|F|other|94043\n3|23|M|other|T8H1N\n4|24|M|technician|85711\n", user);
  EXPECT_GT(number(user, 0, "column 3=M"), 0.0);
  EXPECT_GT(number(user, 3, "column 5=85711"), 0.0);
  ASSERT_EQ(last_.notes.size(), 1U);
  EXPECT_NE(last_.notes[0].find("'T8H1N'"), std::string::npos) << last_.notes[0];

  Mode item{.name = "item", .size = 3, .labels = {"1", "2", "3"}};
  item = features(
      "1|Mis\xe9rables, Les (1995)|01-Jan-1995||0|1\n2|GoldenEye (1995)|01-Jan-1995||1|1\n"
      "3|Four Rooms (1995)|02-Jan-1995||1|0\n",
      item);
  EXPECT_EQ(item.side->names,
            (std::vector<std::string>{"column 3=01-Jan-1995", "column 5", "column 6", "all"}));
  Mode genres{.name = "item", .size = 3, .labels = {"1", "2", "3"}};
  genres =
      features("1::Toy Story::Animation|Comedy\n2::Jumanji::Adventure|Comedy\n3::Heat::Adventure\n", genres);
  EXPECT_GT(number(genres, 0, "column 3=Comedy"), number(genres, 1, "column 3=Comedy"));
  EXPECT_GT(number(genres, 2, "column 3=Adventure"), number(genres, 1, "column 3=Adventure"));
}

TEST_F(SideFiles, CodesAreCategoriesToo) {
  Mode mode{.name = "user", .size = 6, .labels = {"a", "b", "c", "d", "e", "f"}};
  mode = features("user,job\na,1\nb,2\nc,7\nd,1\ne,2\nf,7\n", mode);
  EXPECT_EQ(mode.side->names, (std::vector<std::string>{"job", "job=1", "job=2", "job=7", "all"}));
}

TEST_F(SideFiles, PositionsMayBeNumbers) {
  Mode mode{.name = "row", .size = 3};
  mode = features("row,height\n1,5\n3,7\n4,9\n", mode);
  EXPECT_EQ(mode.size, 4U);
  EXPECT_GT(number(mode, 3, "height"), 0.0);
  Mode from_zero{.name = "row", .size = 3};
  from_zero = features("0,5\n1,7\n2,9\n", from_zero, {.index_base = 0});
  EXPECT_LT(number(from_zero, 0, "column 2"), 0.0);
  EXPECT_EQ(refused("1,5\n9,7\n", Mode{.name = "row", .size = 3}),
            "users.csv: found a position 6 beyond the 3 of mode row, in a file of 2 lines");
  EXPECT_EQ(refused("1,5\n4,7\n", Mode{.name = "row", .size = 3}, {.may_grow = false}),
            "users.csv:2:1: found '4', expected a position of mode row: 1 to 3");
}

TEST_F(SideFiles, NamesAloneWillDoWhereAGraphSaysTheRest) {
  const Mode mode = features("user\na\nz\nb\n", users(), {.alone = true});
  EXPECT_EQ(mode.labels, (std::vector<std::string>{"a", "b", "c", "z"}));
  EXPECT_EQ(last_.added, 1U);
  EXPECT_FALSE(mode.side);
}

TEST_F(SideFiles, WhatIsWrongIsNamedWithItsLine) {
  EXPECT_EQ(refused("user,age\na,10\nb,nan\nc,3\n"),
            "users.csv:3:3: found 'nan', expected a finite number, or nothing where it is not known");
  EXPECT_EQ(refused("user,age\na,10\nb,2\nc,-inf\n"),
            "users.csv:4:3: found '-inf', expected a finite number, or nothing where it is not known");
  EXPECT_EQ(refused("user,age\na,10\nb,2\na,3\n"),
            "users.csv:4: found 'a' a second time (first at users.csv:2), expected each position of mode "
            "user once");
  EXPECT_EQ(refused("user,age\nnew,10\nb,2\nnew,3\n"),
            "users.csv:4: found 'new' a second time (first at users.csv:2), expected each position of mode "
            "user once");
  EXPECT_EQ(refused("user,age\na,10,3\nb,2\nc,4\n"), "users.csv:2: found 3 columns, expected 2");
  EXPECT_EQ(refused("user,age\n,10\nb,2\n"),
            "users.csv:2:1: found nothing, expected a label of mode user, such as 'a'");
  EXPECT_EQ(refused("user\na\nb\n"),
            "users.csv: found 1 column, expected names of user and at least one feature");
  EXPECT_EQ(refused("user,age\nx,1\ny,2\n"),
            "users.csv:2: found no line about any of the 3 positions of mode user, "
            "expected a label of mode user, such as 'a'");
  EXPECT_EQ(refused("user,age\n"), "users.csv: no lines but a header, expected features");
  EXPECT_EQ(refused(""), "users.csv: no lines, expected a table of features");
  EXPECT_EQ(refused("user,age\na,10\nb,10\nc,10\n"),
            "users.csv: found no column that tells user apart, expected at least one");
  EXPECT_EQ(refused("user,age\na,10\nz,20\n", users(), {.may_grow = false}),
            "users.csv:3:1: found 'z', expected a label of mode user, such as 'a'");
  Mode placed = users();
  placed.positions = {0.0, 1.0, 5.0};
  EXPECT_NE(refused("user,age\na,10\nz,20\n", placed).find("coordinates"), std::string::npos);
}

TEST_F(SideFiles, ReadsEdges) {
  for (const std::string text :
       {"a,b\nb,c\n", "from,to,weight\na,b,2\nb,c,2\n", "a\tb\t0.5\nb\tc\t0.5\na\tc\t0\n"}) {
    Mode mode = users();
    const auto read = read_graph(folder_.write("edges.csv", text), {}, mode);
    ASSERT_TRUE(read) << read.error().message();
    ASSERT_TRUE(mode.side);
    const auto product = [&](Index i, Index k) {
      double sum = 0.0;
      for (const std::string& name : mode.side->names) sum += number(mode, i, name) * number(mode, k, name);
      return sum;
    };
    EXPECT_GT(product(0, 1), product(0, 2)) << text;  // neighbours are more alike
    EXPECT_NEAR(product(0, 0), product(2, 2), 1e-9) << text;
  }
}

TEST_F(SideFiles, AGraphAddsToFeatures) {
  Mode mode = features("user,age\na,10\nb,20\nc,30\n");
  ASSERT_TRUE(read_graph(folder_.write("edges.csv", "a,b\nb,c\n"), {}, mode));
  EXPECT_EQ(mode.side->names[0], "age");
  EXPECT_EQ(mode.side->columns(), 2 + 3);
}

TEST_F(SideFiles, WrongEdgesAreNamedWithTheirLine) {
  EXPECT_EQ(graph_refused("a,b,1\nb,z,1\n"),
            "edges.csv:2:3: found 'z', expected a label of mode user, such as 'a'");
  EXPECT_EQ(graph_refused("a,b,1\nb,c,-2\n"),
            "edges.csv:2:5: found '-2', expected the weight of an edge: a number >= 0");
  EXPECT_EQ(graph_refused("a,b,1\nb,c,nan\n"),
            "edges.csv:2:5: found 'nan', expected the weight of an edge: a number >= 0");
  EXPECT_EQ(graph_refused("a,b,1\nb,c,many\n"),
            "edges.csv:2:5: found 'many', expected the weight of an edge: a number >= 0");
  EXPECT_EQ(graph_refused("a,b,1,2\n"),
            "edges.csv:1: found 4 columns, expected two names and maybe a weight");
  EXPECT_EQ(graph_refused(""), "edges.csv: no lines, expected edges such as a,b,1");
  EXPECT_EQ(graph_refused("a,a,1\n"),
            "edges.csv:1: found no edge between two positions up to this last line, expected at least one of "
            "weight > 0");
  EXPECT_EQ(graph_refused("user,other\na,b,0\n\nb,b\n"),
            "edges.csv:4: found no edge between two positions up to this last line, expected at least one of "
            "weight > 0");
  EXPECT_EQ(graph_refused("1,2\n2,4\n", Mode{.name = "row", .size = 3}),
            "edges.csv:2:3: found '4', expected a position of mode row: 1 to 3");
}

}  // namespace
}  // namespace lacuna
