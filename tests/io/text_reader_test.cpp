// SPDX-License-Identifier: MIT
// Lines: which breaks end one, and what may stand behind gzip data.
#include <algorithm>

#include "io/text/reader.hpp"
#include "text_files.hpp"

namespace lacuna::text_test {
namespace {

class Reader : public TextFiles {
 protected:
  Labels lines(std::string_view content) {
    auto reader = io::TextReader::open(folder.write("a.txt", content));
    EXPECT_TRUE(reader.ok());
    Labels out;
    std::string_view line;
    while (reader->next(line)) out.emplace_back(line);
    EXPECT_TRUE(reader->status().ok());
    return out;
  }
};

TEST_F(Reader, EveryKindOfBreakEndsALineWhicheverComesFirst) {
  const Labels expected = {"one", "two", "three", "four"};
  for (const std::string first : {"\n", "\r\n", "\r"})
    for (const std::string second : {"\n", "\r\n", "\r"})
      for (const std::string third : {"\n", "\r\n", "\r"})
        EXPECT_EQ(lines("one" + first + "two" + second + "three" + third + "four" + first), expected);
  EXPECT_EQ(lines("a\r\r\nb"), Labels({"a", "", "b"}));
}

// Blocks are of 16 kB and 256 kB: a break of two characters is cut in two by their ends for some lengths.
TEST_F(Reader, ABreakAcrossBlocksIsOne) {
  for (std::size_t length = (std::size_t{16} << 10) - 3; length <= (std::size_t{16} << 10) + 1; ++length)
    EXPECT_EQ(lines(std::string(length, 'x') + "\r\ny").size(), 2U) << length;
  std::string content;
  for (int i = 0; i < 200'000; ++i) content += "12345\r";
  EXPECT_EQ(lines(content).size(), 200'000U);
}

TEST_F(Reader, TablesWithCarriageReturnsAlone) {
  const TensorFile file = read_fine("a.csv", "u,i,value\ra,x,1\r\"b\rc\",x,2\r");
  EXPECT_EQ(file.modes[0].labels, Labels({"a", "b\rc"}));
  EXPECT_EQ(file.entries.value, Values({1, 2}));
  EXPECT_EQ(read_fine("a.tns", "1 1 5\r2 1 6\r").entries.value, Values({5, 6}));
}

TEST_F(Reader, NothingButGzipDataMayFollowGzipData) {
  TensorFile file = read_fine("a.tns", "1 1 5\n2 1 6\n");
  ASSERT_TRUE(write_tensor(folder.path("a.tns.gz"), file).ok());
  const std::string packed = folder.read("a.tns.gz");
  EXPECT_EQ(read_fine("b.tns.gz", packed + packed).entries.size(), 4);
  for (const std::string rubbish : {"rubbish", "1 1 7\n", "P"})
    EXPECT_EQ(read_error("b.tns.gz", packed + rubbish),
              "b.tns.gz: found bytes behind the gzip data that are no gzip data");
  EXPECT_EQ(read_error("b.tns.gz", packed + "\x1f"),
            "b.tns.gz: found gzip data that are damaged or cut short");
}

// The scan that finds a record's end must agree with the split that follows.
TEST_F(Reader, RecordsEndWhereTheirQuotesClose) {
  const TensorFile file =
      read_fine("a.csv", "\"a\n\"\"b\",\"c\nd\",1\n x\"y ,\"\n\",2\n \"p\" , \"q\nr\" ,3\n");
  EXPECT_EQ(file.entries.value, Values({1, 2, 3}));
  Labels first = file.modes[0].labels;
  std::sort(first.begin(), first.end());
  EXPECT_EQ(first, Labels({"a\n\"b", "p", "x\"y"}));
}

}  // namespace
}  // namespace lacuna::text_test
