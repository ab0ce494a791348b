// SPDX-License-Identifier: MIT
// Which format a file is taken for, durations, and where entries stand.
#include <random>

#include "text_files.hpp"

namespace lacuna::text_test {
namespace {

class Detection : public TextFiles {};

TEST(FormatName, IsDistinct) {
  EXPECT_EQ(format_name(Format::kTns), "tns");
  EXPECT_EQ(format_name(Format::kSptensor), "sptensor");
  EXPECT_EQ(format_name(Format::kTable), "table");
  EXPECT_EQ(format_name(Format::kPicture), "picture");
}

TEST_F(Detection, TextFormats) {
  const std::string numbers = "1 2 3 0.5\n2 1 1 4\n";
  const std::string words = "a b c 1\nb c d 2\n";
  const std::string tabs = "1\t2\t3\n2\t3\t1\n";
  const std::string toolbox = "sptensor\n1\n4\n1\n1 0.5\n";
  for (const char* const name : {"a.txt", "a.data", "a.dat", "a.unheard-of", "a", "A.TXT"}) {
    EXPECT_EQ(read_fine(name, numbers).format, Format::kTns) << name;
    EXPECT_EQ(read_fine(name, "# comment\n\n" + numbers).format, Format::kTns) << name;
    EXPECT_EQ(read_fine(name, "user item rating\n1 2 3\n").format, Format::kTable) << name;
    EXPECT_EQ(read_error(name, numbers + "2 2 x 1\n"),
              std::string(name) + ":3:5: found 'x', expected an index: a whole number >= 0");
    EXPECT_EQ(read_fine(name, words).format, Format::kTable) << name;
    EXPECT_EQ(read_fine(name, tabs).format, Format::kTable) << name;
    EXPECT_EQ(read_fine(name, "1::2::3::978300760\n").format, Format::kTable) << name;
    EXPECT_EQ(read_fine(name, "1,2,3\n").format, Format::kTable) << name;
    EXPECT_EQ(read_fine(name, toolbox).format, Format::kSptensor) << name;
  }
  EXPECT_EQ(read_fine("a.tns", tabs).format, Format::kTns);
  EXPECT_EQ(read_fine("a.TNS", toolbox).format, Format::kSptensor);
  EXPECT_EQ(read_fine("a.tensor", numbers).format, Format::kTns);
  EXPECT_EQ(read_fine("a.csv", words).format, Format::kTable);
  EXPECT_EQ(read_fine("a.csv", numbers, {.format = Format::kTns}).format, Format::kTns);
}

TEST_F(Detection, OtherFormatsByTheirFirstBytes) {
  TensorFile file;
  file.format = Format::kNpy;
  file.dense = true;
  file.modes = {{.name = "mode1", .size = 2, .labels = {}}, {.name = "mode2", .size = 2, .labels = {}}};
  file.entries.cells = {{0, 0, 1, 1}, {0, 1, 0, 1}};
  file.entries.value = {0, 1, 1, 0};
  const struct {
    const char* name;
    Format format;
  } kCases[] = {{"a.npy", Format::kNpy},     {"a.npz", Format::kNpz},     {"a.mat", Format::kMat},
                {"a.png", Format::kPicture}, {"a.bmp", Format::kPicture}, {"a.jpg", Format::kPicture}};
  for (const auto& c : kCases) {
    ASSERT_TRUE(write_tensor(folder.path(c.name), file).ok()) << c.name;
    const TensorFile again = read_fine("no-ending", folder.read(c.name));
    EXPECT_EQ(again.format, c.format) << c.name;
    EXPECT_EQ(again.entries.size(), 4) << c.name;
  }
}

TEST_F(Detection, UnknownEndingsAreWrittenAsTheyCame) {
  const TensorFile numbers = read_fine("a.tns", "1 2 0.5\n");
  ASSERT_TRUE(write_tensor(folder.path("b.txt"), numbers).ok());
  EXPECT_EQ(folder.read("b.txt"), "1 2 0.5\n");
  TensorFile dense = numbers;
  dense.format = Format::kNpy;
  const auto refused = write_tensor(folder.path("b.what"), dense);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, ErrorKind::kOutput);
  ASSERT_TRUE(write_tensor(folder.path("c.txt"), dense).ok());
  EXPECT_EQ(folder.read("c.txt"), "mode1,mode2,value\n1,2,0.5\n");
  EXPECT_EQ(write_tensor(folder.path("b.npy.gz"), dense).error().what,
            "only text formats are written packed, not npy");
  EXPECT_EQ(read_error("a.npy.gz", "x"), "a.npy.gz: found a packed array or picture, expected it unpacked");
}

TEST_F(Detection, MaskNeedsADenseFile) {
  const auto file = read_tensor(folder.write("a.tns", "1 1 1\n"), {.mask = "m.png"});
  ASSERT_FALSE(file.ok());
  EXPECT_EQ(file.error().kind, ErrorKind::kUsage);
}

TEST(Duration, UnitsAndRefusals) {
  EXPECT_EQ(*parse_duration("7d"), 604800);
  EXPECT_EQ(*parse_duration("12h"), 43200);
  EXPECT_EQ(*parse_duration("30m"), 1800);
  EXPECT_EQ(*parse_duration("45s"), 45);
  EXPECT_EQ(*parse_duration("90"), 90);
  for (const char* const bad :
       {"", "d", "0", "0d", "-5", "1.5h", "7x", "7 d", "99999999999999999999", "999999999999999999d"}) {
    const auto refused = parse_duration(bad);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_EQ(refused.error().kind, ErrorKind::kUsage);
    EXPECT_EQ(refused.error().what,
              "found '" + std::string(bad) +
                  "', expected a duration > 0 such as 7d, 12h, 30m, 45s or plain seconds");
  }
}

class Locate : public TextFiles {
 protected:
  std::string locate(const std::string& name, std::string_view content, Count entry,
                     const ReadOptions& options = {}) {
    const std::string path = folder.write(name, content);
    const std::string where = locate_entry(path, options, entry);
    return name + where.substr(path.size());
  }
};

TEST_F(Locate, EntriesOfTextFiles) {
  const std::string tns = "# c\n1 1 1\n\n1 2 1\n% d\n1 3 1\n";
  EXPECT_EQ(locate("a.tns", tns, 0), "a.tns:2");
  EXPECT_EQ(locate("a.tns", tns, 2), "a.tns:6");
  EXPECT_EQ(locate("a.tns", tns, 3), "a.tns");
  EXPECT_EQ(locate("a.tns", tns, -1), "a.tns");
  EXPECT_EQ(locate("a.tns", "sptensor\n1\n4\n2\n1 1\n\n2 1\n", 1), "a.tns:7");
  const std::string csv = "a,b,value\nx,y,1\n\"two\nlines\",y,2\n\nz,y,3\n";
  EXPECT_EQ(locate("a.csv", csv, 0), "a.csv:2");
  EXPECT_EQ(locate("a.csv", csv, 1), "a.csv:3");
  EXPECT_EQ(locate("a.csv", csv, 2), "a.csv:6");
  EXPECT_EQ(locate("a.csv", "x,y\nz,w\n", 1), "a.csv:2");
  EXPECT_EQ(locate("a.csv", "x,y\nz,w\n", 1, {.header = true}), "a.csv");
  EXPECT_EQ(locate_entry(folder.path("none.csv"), {}, 0), folder.path("none.csv"));
}

// Whatever the bytes, reading ends with a tensor that fits together and can be written, or with an error.
TEST_F(Detection, RandomBytesNeverBreakReading) {
  const std::string kPieces[] = {"1",
                                 "2",
                                 "0",
                                 "9",
                                 " ",
                                 "\t",
                                 ",",
                                 "\"",
                                 "\n",
                                 "::",
                                 "nan",
                                 "1e5",
                                 "-",
                                 "a",
                                 "\xc3\xa9",
                                 "sptensor\n",
                                 "\r\n",
                                 "#",
                                 ";",
                                 "2024-01-01",
                                 "value",
                                 "\xff",
                                 std::string(1, '\0'),
                                 "978300760"};
  std::mt19937 random(11);
  int fine = 0;
  for (int round = 0; round < 900; ++round) {
    std::string content;
    const auto pieces = random() % 60;
    for (unsigned i = 0; i < pieces; ++i) content += kPieces[random() % std::size(kPieces)];
    const char* const kNames[] = {"a.tns", "a.csv", "a.txt", "a.tensor"};
    const std::string path = folder.write(kNames[random() % std::size(kNames)], content);
    const auto file = read_tensor(path);
    if (!file.ok()) {
      EXPECT_FALSE(file.error().what.empty());
      continue;
    }
    ++fine;
    ASSERT_EQ(file->entries.order(), static_cast<int>(file->modes.size()));
    for (std::size_t k = 0; k < file->modes.size(); ++k) {
      ASSERT_EQ(file->entries.cells[k].size(), file->entries.value.size());
      for (const Index i : file->entries.cells[k]) ASSERT_LT(i, file->modes[k].size);
    }
    EXPECT_TRUE(write_tensor("/dev/null", *file).ok());
    (void)locate_entry(path, {}, file->entries.size() - 1);
  }
  EXPECT_GT(fine, 20);
}

}  // namespace
}  // namespace lacuna::text_test
