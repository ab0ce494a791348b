// SPDX-License-Identifier: MIT
// Lines: which breaks end one, and what may stand behind packed data.
#include <fmt/format.h>

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

// Blocks are of 16 kB, then of the file's size up to 256 kB: a break of two characters is cut in two by their ends for some lengths.
TEST_F(Reader, ABreakAcrossBlocksIsOne) {
  for (std::size_t length = (std::size_t{16} << 10) - 3; length <= (std::size_t{16} << 10) + 1; ++length)
    EXPECT_EQ(lines(std::string(length, 'x') + "\r\ny").size(), 2U) << length;
  for (const std::size_t count : {2'731U, 20'000U, 200'000U}) {
    std::string content;
    for (std::size_t i = 0; i < count; ++i) content += "1234\r\n";
    const Labels all = lines(content);
    EXPECT_EQ(all.size(), count);
    EXPECT_EQ(std::count(all.begin(), all.end(), "1234"), static_cast<std::ptrdiff_t>(count));
  }
}

TEST_F(Reader, TablesWithCarriageReturnsAlone) {
  const TensorFile file = read_fine("a.csv", "u,i,value\ra,x,1\r\"b\rc\",x,2\r");
  EXPECT_EQ(file.modes[0].labels, Labels({"a", "b\rc"}));
  EXPECT_EQ(file.entries.value, Values({1, 2}));
  EXPECT_EQ(read_fine("a.tns", "1 1 5\r2 1 6\r").entries.value, Values({5, 6}));
}

struct Packing {
  const char* ending;
  const char* name;
  std::string magic;
};

const std::vector<Packing> kPackings = {{".gz", "gzip", "\x1f\x8b"},
                                        {".zst", "zstd", "\x28\xb5\x2f\xfd"},
                                        {".xz", "xz", std::string("\xfd\x37zXZ\0", 6)}};

TEST_F(Reader, NothingButPackedDataMayFollowPackedData) {
  const TensorFile file = read_fine("a.tns", "1 1 5\n2 1 6\n");
  for (const Packing& packing : kPackings) {
    const std::string name = std::string("b.tns") + packing.ending;
    ASSERT_TRUE(write_tensor(folder.path(name), file).ok());
    const std::string packed = folder.read(name);
    EXPECT_EQ(packed.substr(0, packing.magic.size()), packing.magic);
    EXPECT_EQ(read_fine(name, packed + packed).entries.size(), 4);
    EXPECT_EQ(read_fine("b.txt", packed).entries.value, Values({5, 6}));  // the bytes tell, not the name
    for (const std::string rubbish : {"rubbish", "1 1 7\n", "P"})
      EXPECT_EQ(read_error(name, packed + rubbish),
                fmt::format("{}: found bytes behind the {} data that are no {} data", name, packing.name,
                            packing.name));
    EXPECT_EQ(read_error(name, packed + packing.magic),
              fmt::format("{}: found {} data that are cut short", name, packing.name));
  }
}

TEST_F(Reader, DamagedAndTruncatedPackedDataAreNamed) {
  std::string content;
  for (int i = 1; i <= 3000; ++i) content += fmt::format("{} {} {}\n", i, i * i % 97 + 1, i * 0.37);
  const TensorFile file = read_fine("a.tns", content);
  for (const Packing& packing : kPackings) {
    const std::string name = std::string("b.tns") + packing.ending;
    ASSERT_TRUE(write_tensor(folder.path(name), file).ok());
    std::string packed = folder.read(name);
    EXPECT_EQ(read_fine(name, packed).entries.value, file.entries.value);
    for (const std::size_t bytes : {packed.size() / 2, packed.size() - 1, packing.magic.size()})
      EXPECT_EQ(read_error(name, packed.substr(0, bytes)),
                fmt::format("{}: found {} data that are cut short", name, packing.name))
          << bytes;
    packed[packed.size() / 2] = static_cast<char>(packed[packed.size() / 2] ^ 0x55);
    EXPECT_EQ(read_error(name, packed),
              fmt::format("{}: found {} data that are damaged", name, packing.name));
  }
}

// A frame whose header asks for a window of 2 GB.
TEST_F(Reader, PackedDataMayNotAskForAllMemory) {
  const std::string frame("\x28\xb5\x2f\xfd\x00\xa8", 6);
  EXPECT_EQ(
      read_error("a.tns.zst", frame + std::string(100, '\0')),
      "a.tns.zst: found zstd data that need more than 128 MB to be unpacked, expected them packed with less");
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
