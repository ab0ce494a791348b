// SPDX-License-Identifier: MIT
// Tensor Toolbox's sptensor text files.
#include <limits>

#include "text_files.hpp"

namespace lacuna::text_test {
namespace {

class Sptensor : public TextFiles {};

TEST_F(Sptensor, ReadsHeaderAndEntries) {
  const TensorFile file = read_fine("a.tns", "sptensor\n3\n4 5 6\n2\n1 2 3 0.5\n4 5 6 -1\n");
  EXPECT_EQ(file.format, Format::kSptensor);
  EXPECT_EQ(file.index_base, 1);
  EXPECT_EQ(sizes(file), Row({4, 5, 6}));
  EXPECT_EQ(file.entries.cells, (std::vector<Row>{{0, 3}, {1, 4}, {2, 5}}));
  EXPECT_EQ(file.entries.value, Values({0.5, -1.0}));
}

TEST_F(Sptensor, BlanksAndCarriageReturnsDoNotMatter) {
  const TensorFile file =
      read_fine("a.tensor", " sptensor \r\n 2 \r\n 4   5 \r\n\r\n1\r\n\t4 5  2.5\r\n\r\n");
  EXPECT_EQ(file.entries.value, Values({2.5}));
}

TEST_F(Sptensor, BadFilesAreNamed) {
  const struct {
    const char* content;
    const char* message;
  } kCases[] = {
      {" \n\t\n", "a.txt:3:1: found '', expected 'sptensor'"},
      {"tensor\n2\n1 1\n", "a.txt:1:1: found 'tensor', expected 'sptensor'"},
      {"sptensor\n", "a.txt:2: found the end of the file, expected the order, one whole number"},
      {"sptensor\nx\n", "a.txt:2:1: found 'x', expected the order, one whole number"},
      {"sptensor\n0\n", "a.txt:2: found the order 0, expected one from 1 to 64"},
      {"sptensor\n999999999999\n", "a.txt:2: found the order 999999999999, expected one from 1 to 64"},
      {"sptensor\n2\n4\n", "a.txt:3:2: found 1 number, expected 2 sizes"},
      {"sptensor\n2\n4 5 6\n", "a.txt:3:5: found '6', expected 2 sizes"},
      {"sptensor\n2\n4 0\n", "a.txt:3: found the size 0, expected one from 1 to 4294967294"},
      {"sptensor\n2\n4 4294967295\n",
       "a.txt:3: found the size 4294967295, expected one from 1 to 4294967294"},
      {"sptensor\n2\n4 5\n-1\n", "a.txt:4:1: found '-1', expected the number of entries"},
      {"sptensor\n2\n4 5\n2\n1 1 1\n", "a.txt:6: found the end of the file after 1 of 2 entries"},
      {"sptensor\n2\n4 5\n1\n1 1 1\n1 2 1\n",
       "a.txt:6:1: found one line more than the stated number of entries, 1"},
      {"sptensor\n2\n4 5\n1\n1 6 1\n", "a.txt:5:3: found '6', expected an index from 1 to 5"},
      {"sptensor\n2\n4 5\n1\n0 1 1\n", "a.txt:5:1: found '0', expected an index from 1 to 4"},
      {"sptensor\n2\n4 5\n1\n1 1\n", "a.txt:5:4: found 2 columns, expected 3"},
      {"sptensor\n2\n4 5\n0\n", "a.txt: no entries"},
      {"sptensor\n2\n4 5\n18446744073709551615\n1 1 1\n",
       "a.txt:4:1: found '18446744073709551615', expected the number of entries"},
      {"sptensor\n2\n4 5\n9999999999999999999\n1 1 1\n",
       "a.txt:6: found the end of the file after 1 of 9999999999999999999 entries"},
  };
  for (const auto& c : kCases)
    EXPECT_EQ(read_error("a.txt", c.content, {.format = Format::kSptensor}), c.message);
}

TEST_F(Sptensor, RoundTripKeepsSizesAndValues) {
  TensorFile file;
  file.index_base = 0;  // sptensor is 1-based whatever the source was
  file.modes = {{.name = "a", .size = 9, .labels = {}}, {.name = "b", .size = 8, .labels = {}}};
  file.entries.cells = {{0, 3, 5}, {1, 7, 2}};
  file.entries.value = {1.0 / 3, std::numeric_limits<double>::quiet_NaN(), 1e-300};
  for (const char* const name : {"a.sptensor", "a.tensor.gz"}) {
    ASSERT_TRUE(write_tensor(folder.path(name), file).ok());
    const auto again = read_tensor(folder.path(name));
    ASSERT_TRUE(again.ok()) << again.error().message();
    EXPECT_EQ(again->format, Format::kSptensor);
    EXPECT_EQ(sizes(*again), Row({9, 8}));
    expect_same_entries(again->entries, file.entries);
    EXPECT_EQ(again->missing, 1);
  }
  EXPECT_EQ(folder.read("a.sptensor").substr(0, 19), "sptensor\n2\n9 8\n3\n1 ");
}

TEST_F(Sptensor, KnownModesDecideTheSizes) {
  const std::vector<Mode> modes = {{.name = "a", .size = 2, .labels = {}},
                                   {.name = "b", .size = 2, .labels = {}}};
  const ReadOptions options{.index_base = 1, .known_modes = &modes};
  const TensorFile file = read_fine("a.tns", "sptensor\n2\n9 9\n2\n1 2\n3 2 7\n", options);
  EXPECT_EQ(file.entries.cells, (std::vector<Row>{{0, 2}, {1, 1}}));
  EXPECT_EQ(sizes(file), Row({3, 2}));
  EXPECT_EQ(read_error("a.tns", "sptensor\n1\n9\n1\n1 2\n", options),
            "a.tns: found a tensor of order 1, expected 2");
}

}  // namespace
}  // namespace lacuna::text_test
