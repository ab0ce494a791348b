// SPDX-License-Identifier: MIT
#include <utility>

#include "array_files.hpp"
#include "io/array/zip.hpp"

namespace lacuna {
namespace {

using namespace array_test;

using Members = std::vector<std::pair<std::string, std::string>>;

// A zip archive of stored members, written by hand.
std::string stored_zip(const Members& members, int method = 0, int flags = 0) {
  std::string out;
  std::string directory;
  for (const auto& [name, content] : members) {
    const std::string description = number_bytes(20, 2) + number_bytes(static_cast<std::uint64_t>(flags), 2) +
                                    number_bytes(static_cast<std::uint64_t>(method), 2) + number_bytes(0, 4) +
                                    number_bytes(crc32(content), 4) + number_bytes(content.size(), 4) +
                                    number_bytes(content.size(), 4) + number_bytes(name.size(), 2) +
                                    number_bytes(0, 2);
    directory += "PK\x01\x02" + number_bytes(20, 2) + description + number_bytes(0, 10) +
                 number_bytes(out.size(), 4) + name;
    out += "PK\x03\x04" + description + name + content;
  }
  return out + directory + "PK\x05\x06" + number_bytes(0, 4) + number_bytes(members.size(), 2) +
         number_bytes(members.size(), 2) + number_bytes(directory.size(), 4) + number_bytes(out.size(), 4) +
         number_bytes(0, 2);
}

std::string int_array(const std::string& shape, const std::vector<std::int64_t>& numbers, int size = 8) {
  std::string bytes;
  for (const std::int64_t n : numbers) bytes += number_bytes(static_cast<std::uint64_t>(n), size);
  return npy_bytes("<i" + std::to_string(size), false, shape, bytes);
}

std::string byte_array(const std::string& shape, const std::string& numbers) {
  return npy_bytes("|u1", false, shape, numbers);
}

class Npz : public ArrayFiles {
 protected:
  std::string zip(const Members& members) { return folder.write("a.npz", stored_zip(members)); }
};

TEST_F(Npz, DenseArraysComeBack) {
  for (const bool fortran : {false, true}) {
    TensorFile file = dense_tensor({2, 3, 4}, ramp(24));
    file.entries.value[3] = kNaN;
    file.layout.dtype = ">f4";
    file.layout.fortran_order = fortran;
    file.layout.variable = "speed";
    write_fine(folder.path("a.npz"), file);
    const TensorFile back = read_fine(folder.path("a.npz"));
    expect_same_values(back.entries.value, file.entries.value);
    EXPECT_EQ(back.layout.dtype, ">f4");
    EXPECT_EQ(back.layout.variable, "speed");
    EXPECT_EQ(back.layout.fortran_order, fortran);
    EXPECT_TRUE(back.dense);
    EXPECT_EQ(back.missing, 1);
  }
}

TEST_F(Npz, ListsComeBackInTheirOrder) {
  TensorFile file =
      sparse_tensor({5, 4, 3000000000U}, {{4, 0, 2999999999U}, {0, 3, 1}, {2, 2, 2}}, {1.5, kNaN, 0});
  write_fine(folder.path("a.npz"), file);
  const TensorFile back = read_fine(folder.path("a.npz"));
  EXPECT_FALSE(back.dense);
  EXPECT_EQ(back.entries.cells, file.entries.cells);
  expect_same_values(back.entries.value, file.entries.value);
  EXPECT_EQ(shape_of(back), shape_of(file));
  EXPECT_EQ(back.missing, 1);
  EXPECT_EQ(back.index_base, 0);
}

// sparse.load_npz takes for granted that coordinates are sorted and unique.
TEST_F(Npz, FillValueOnlyWhereCoordinatesAreSorted) {
  const auto has_fill = [&](const std::vector<std::vector<Index>>& cells) {
    write_fine(folder.path("a.npz"), sparse_tensor({3, 3}, cells, std::vector<double>(cells.size(), 1)));
    return folder.read("a.npz").find("fill_value.npy") != std::string::npos;
  };
  EXPECT_TRUE(has_fill({{0, 1}, {0, 2}, {1, 0}}));
  EXPECT_FALSE(has_fill({{0, 2}, {0, 1}}));
  EXPECT_FALSE(has_fill({{0, 1}, {0, 1}}));
}

TEST_F(Npz, PydataListsAreRead) {
  const TensorFile file = read_fine(zip({{"data.npy", byte_array("(2,)", "\x07\x08")},
                                         {"shape.npy", int_array("(3,)", {2, 3, 4})},
                                         {"fill_value.npy", byte_array("()", std::string(1, '\0'))},
                                         {"coords.npy", int_array("(3, 2)", {0, 1, 2, 0, 3, 1}, 4)}}));
  EXPECT_EQ(file.entries.cells, (Cells{{0, 1}, {2, 0}, {3, 1}}));
  EXPECT_EQ(file.entries.value, (std::vector<double>{7, 8}));
  EXPECT_EQ(shape_of(file), (std::vector<Index>{2, 3, 4}));
}

TEST_F(Npz, ScipyMatricesAreRead) {
  // [[0 5 6], [7 0 0]]
  const std::string data = byte_array("(3,)", "\x05\x06\x07");
  const std::string shape = int_array("(2,)", {2, 3});
  const auto format = [](const std::string& name) { return npy_bytes("|S3", false, "()", name); };
  const std::vector<std::vector<Index>> by_rows = {{0, 0, 1}, {1, 2, 0}};
  TensorFile file = read_fine(zip({{"row.npy", int_array("(3,)", {0, 0, 1}, 4)},
                                   {"col.npy", int_array("(3,)", {1, 2, 0}, 4)},
                                   {"format.npy", format("coo")},
                                   {"shape.npy", shape},
                                   {"data.npy", data}}));
  EXPECT_EQ(file.entries.cells, by_rows);
  EXPECT_EQ(file.entries.value, (std::vector<double>{5, 6, 7}));
  file = read_fine(zip({{"indices.npy", int_array("(3,)", {1, 2, 0}, 4)},
                        {"indptr.npy", int_array("(3,)", {0, 2, 3}, 4)},
                        {"format.npy", format("csr")},
                        {"shape.npy", shape},
                        {"data.npy", data}}));
  EXPECT_EQ(file.entries.cells, by_rows);
  file =
      read_fine(zip({{"indices.npy", int_array("(3,)", {1, 0, 0}, 4)},
                     {"indptr.npy", int_array("(4,)", {0, 1, 2, 3}, 4)},
                     {"format.npy", npy_bytes("<U3", false, "()", std::string("c\0\0\0s\0\0\0c\0\0\0", 12))},
                     {"shape.npy", shape},
                     {"data.npy", data}}));
  EXPECT_EQ(file.entries.cells, (Cells{{1, 0, 0}, {0, 1, 2}}));
  EXPECT_EQ(read_error(zip({{"format.npy", format("bsr")}, {"shape.npy", shape}})),
            "a.npz(format): found a sparse array saved as 'bsr', expected coo, csr or csc");
  EXPECT_EQ(read_error(zip({{"indices.npy", int_array("(3,)", {1, 2, 0}, 4)},
                            {"indptr.npy", int_array("(3,)", {0, 9, 3}, 4)},
                            {"format.npy", format("csr")},
                            {"shape.npy", shape},
                            {"data.npy", data}})),
            "a.npz(indptr): found numbers that do not rise from 0 to 3 in 2 steps");
}

TEST_F(Npz, BadListsAreExplained) {
  const auto error = [&](const std::string& coords, const std::string& data, const std::string& shape) {
    return read_error(zip({{"coords.npy", coords}, {"data.npy", data}, {"shape.npy", shape}}));
  };
  const std::string fine = int_array("(2, 2)", {0, 1, 0, 1});
  const std::string two = byte_array("(2,)", "ab");
  const std::string shape = int_array("(2,)", {2, 2});
  EXPECT_EQ(error(int_array("(2, 2)", {0, 1, 0, 2}), two, shape),
            "a.npz(coords) row 1: found 2 for entry 2, expected a position from 0 to 1");
  EXPECT_EQ(error(int_array("(2, 2)", {0, -1, 0, 1}), two, shape),
            "a.npz(coords) row 0: found -1 for entry 2, expected a position from 0 to 1");
  EXPECT_EQ(error(int_array("(3, 2)", {0, 1, 0, 1, 0, 1}), two, shape),
            "a.npz(coords): found an array of 3 x 2, expected 2 rows, one for each mode");
  EXPECT_EQ(error(npy_bytes("<f4", false, "(2, 1)", std::string(8, '\0')), two, shape),
            "a.npz(coords): found dtype <f4, expected whole numbers");
  EXPECT_EQ(error(fine, byte_array("(3,)", "abc"), shape),
            "a.npz(data): found an array of 3, expected 2 values");
  EXPECT_EQ(error(fine, two, int_array("(2,)", {2, 0})),
            "a.npz(shape): found the size 0, expected one from 1 to 4294967294");
  EXPECT_EQ(error(int_array("(1, 2)", {0, 1}), two, int_array("(1,)", {2})),
            "a.npz: found 1 modes, but a tensor needs at least 2 modes");
  const std::string infinite =
      npy_bytes("<f4", false, "(2,)", number_bytes(0, 4) + number_bytes(0x7f800000U, 4));
  EXPECT_EQ(error(fine, infinite, shape),
            "a.npz: found inf in cell (1, 1), counted from 0, expected a finite number or NaN");
  EXPECT_EQ(read_error(zip({{"compressed_axes.npy", two}, {"shape.npy", shape}})),
            "a.npz: found a compressed sparse array (GCXS), expected COO: coords, data and shape");
  ReadOptions options;
  options.mask = "mask.png";
  EXPECT_NE(read_error(zip({{"coords.npy", fine}, {"data.npy", two}, {"shape.npy", shape}}), options)
                .find("a mask needs a picture or a dense array"),
            std::string::npos);
}

TEST_F(Npz, ShapeAndKnownModes) {
  const std::string path =
      zip({{"coords.npy", int_array("(2, 2)", {0, 1, 0, 4})}, {"shape.npy", int_array("(2,)", {2, 5})}});
  EXPECT_EQ(read_error(path), "a.npz: found no array 'data'");
  ReadOptions options;
  options.index_base = 1;  // of other files in the same run; this format counts from 0
  const std::vector<Mode> known = {{.name = "user", .size = 9, .labels = {}},
                                   {.name = "item", .size = 3, .labels = {}}};
  options.known_modes = &known;
  const TensorFile file = read_fine(path, options);
  EXPECT_EQ(file.entries.cells, (Cells{{0, 1}, {0, 4}}));
  EXPECT_EQ(file.missing, 2);

  const std::string whole = folder.path("b.npz");
  write_fine(whole, sparse_tensor({2, 5}, {{1, 4}}, {1}));
  options = {};
  options.shape = {7, 8};
  EXPECT_EQ(shape_of(read_fine(whole, options)), options.shape);
  options.shape = {7, 4};
  EXPECT_EQ(read_error(whole, options),
            "b.npz: found entry 1 at cell (1, 4), counted from 0, outside the shape 7 x 4");
}

TEST_F(Npz, TheArrayIsChosenByNameOrBecauseNoOtherFits) {
  const std::string two = zip({{"readme.txt", "hello"},
                               {"x.npy", byte_array("(1, 2)", "ab")},
                               {"y.npy", byte_array("(2, 1)", "cd")},
                               {"n.npy", byte_array("()", "e")}});
  EXPECT_EQ(read_error(two),
            "a.npz: found 2 arrays of at least 2 modes, expected one or the name of one: x (1 x 2 |u1), y (2 "
            "x 1 |u1), n "
            "(() |u1)");
  ReadOptions options;
  options.variable = "y";
  EXPECT_EQ(read_fine(two, options).entries.value, (std::vector<double>{'c', 'd'}));
  options.variable = "z";
  EXPECT_EQ(read_error(two, options), "a.npz: found no array 'z'");
  options.variable = "n";
  EXPECT_EQ(read_error(two, options), "a.npz(n): found a 0-d array, but a tensor needs at least 2 modes");
  EXPECT_EQ(read_fine(zip({{"n.npy", byte_array("()", "e")}, {"x.npy", byte_array("(1, 2)", "ab")}}))
                .layout.variable,
            "x");
  EXPECT_EQ(read_error(zip({})), "a.npz: found no arrays");
}

// One stored member whose sizes, offset and place in the archive stand in the 64-bit fields. `members` is what the
// end record says of their number.
std::string zip64(const std::string& name, const std::string& content, std::uint64_t members) {
  const auto description = [&](const std::string& extra) {
    return number_bytes(45, 2) + number_bytes(0, 8) + number_bytes(crc32(content), 4) +
           number_bytes(0xffffffffU, 4) + number_bytes(0xffffffffU, 4) + number_bytes(name.size(), 2) +
           number_bytes(extra.size(), 2);
  };
  const std::string sizes = number_bytes(content.size(), 8) + number_bytes(content.size(), 8);
  const std::string local_extra = number_bytes(1, 2) + number_bytes(16, 2) + sizes;
  const std::string extra = number_bytes(1, 2) + number_bytes(24, 2) + sizes + number_bytes(0, 8);
  const std::string local = "PK\x03\x04" + description(local_extra) + name + local_extra + content;
  const std::string directory = "PK\x01\x02" + number_bytes(45, 2) + description(extra) +
                                number_bytes(0, 10) + number_bytes(0xffffffffU, 4) + name + extra;
  const std::uint64_t end = local.size() + directory.size();
  return local + directory + "PK\x06\x06" + number_bytes(44, 8) + number_bytes(45, 2) + number_bytes(45, 2) +
         number_bytes(0, 8) + number_bytes(members, 8) + number_bytes(members, 8) +
         number_bytes(directory.size(), 8) + number_bytes(local.size(), 8) + "PK\x06\x07" +
         number_bytes(0, 4) + number_bytes(end, 8) + number_bytes(1, 4) + "PK\x05\x06" + number_bytes(0, 4) +
         number_bytes(0xffff, 2) + number_bytes(0xffff, 2) + number_bytes(0xffffffffU, 4) +
         number_bytes(0xffffffffU, 4) + number_bytes(0, 2);
}

TEST_F(Npz, ArchivesWith64BitFieldsAreRead) {
  const std::string content = byte_array("(2, 2)", "abcd");
  EXPECT_EQ(read_fine(folder.write("a.npz", zip64("x.npy", content, 1))).entries.value,
            (std::vector<double>{'a', 'b', 'c', 'd'}));
  // No table of so many members is made.
  for (const std::uint64_t members :
       {std::uint64_t{1} << 60U, std::uint64_t{1} << 31U, std::uint64_t{1} << 26U})
    EXPECT_EQ(read_error(folder.write("a.npz", zip64("x.npy", content, members))),
              "a.npz: found a damaged zip archive: Zip archive inconsistent");
}

TEST_F(Npz, DamagedArchivesAreExplained) {
  const std::string content = byte_array("(1, 2)", "ab");
  const std::string fine = stored_zip({{"x.npy", content}});
  const auto error = [&](const std::string& bytes) { return read_error(folder.write("a.npz", bytes)); };
  EXPECT_EQ(error("PK, but nothing more"), "a.npz: found no zip archive, expected an .npz file");
  EXPECT_EQ(error(fine.substr(0, fine.size() - 1)), "a.npz: found no zip archive, expected an .npz file");
  std::string bad = fine;
  bad[bad.find("ab")] = 'x';
  EXPECT_EQ(error(bad), "a.npz: found a damaged zip archive: member 'x.npy': CRC error");
  EXPECT_EQ(error(stored_zip({{"x.npy", content}}, 12)),
            "a.npz: found member 'x.npy' packed by method 12, expected it stored or deflated");
  EXPECT_EQ(error(stored_zip({{"x.npy", content}}, 0, 1)),
            "a.npz: found member 'x.npy' encrypted, expected it stored or deflated");
  EXPECT_EQ(error(stored_zip({{"x.npy", "\x07 and so on"}}, 8)),
            "a.npz: found a damaged zip archive: member 'x.npy': Zlib error: data error");
  bad = fine;
  bad[0] = 'X';
  EXPECT_EQ(error(bad), "a.npz: found no zip archive, expected an .npz file");
  EXPECT_EQ(error(fine + "tail"), "a.npz: found a damaged zip archive: Zip archive inconsistent");
  EXPECT_EQ(error(""), "a.npz: found no zip archive, expected an .npz file");
}

// A few packed bytes that claim to be gigabytes are refused by their sizes alone.
TEST_F(Npz, ImpossibleSizesAreRefused) {
  std::string bad = stored_zip({{"x.npy", byte_array("(1, 2)", "ab")}}, 8);
  const std::size_t directory = bad.find("PK\x01\x02");
  bad.replace(directory + 24, 4, number_bytes(0xf0000000U, 4));
  bad.replace(bad.find("PK\x03\x04") + 22, 4, number_bytes(0xf0000000U, 4));
  const std::string size = std::to_string(byte_array("(1, 2)", "ab").size());
  EXPECT_EQ(read_error(folder.write("a.npz", bad)), "a.npz: found a damaged zip archive: member 'x.npy' of " +
                                                        size + " bytes cannot hold 4026531840");
}

TEST_F(Npz, WhatCannotBeWrittenLeavesNoFile) {
  EXPECT_EQ(write_error(folder.path("a.npz"), sparse_tensor({2, 2}, {{0, kUnseen}}, {1})),
            "a.npz: entry 1 lies outside mode 'mode2' of size 2");
  EXPECT_EQ(write_error(folder.path("a.npz"), sparse_tensor({2, 2}, {{0, 1}}, {HUGE_VAL})),
            "a.npz: entry 1 is infinite");
  EXPECT_EQ(folder.files(), 0U);
}

TEST_F(Npz, EqualContentMakesEqualFiles) {
  const TensorFile file = dense_tensor({2, 3}, ramp(6));
  write_fine(folder.path("a.npz"), file);
  write_fine(folder.path("b.npz"), file);
  EXPECT_EQ(folder.read("a.npz"), folder.read("b.npz"));
}

TEST_F(Npz, DamageIsSurvived) {
  write_fine(folder.path("dense.npz"), dense_tensor({3, 4}, ramp(12)));
  survive_damage("dense.npz");
  write_fine(folder.path("list.npz"), sparse_tensor({3, 4, 5}, {{0, 1, 2}, {2, 3, 4}, {1, 1, 1}}, {1, 2, 3}));
  survive_damage("list.npz");
  zip({{"indices.npy", int_array("(3,)", {1, 2, 0}, 4)},
       {"indptr.npy", int_array("(3,)", {0, 2, 3}, 4)},
       {"format.npy", npy_bytes("|S3", false, "()", "csr")},
       {"shape.npy", int_array("(2,)", {2, 3})},
       {"data.npy", byte_array("(3,)", "abc")}});
  survive_damage("a.npz");
}

}  // namespace
}  // namespace lacuna
