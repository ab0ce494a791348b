// SPDX-License-Identifier: MIT
#include <bit>
#include <cstdlib>

#include "array_files.hpp"
#include "io/matlab/mat_child.hpp"

namespace lacuna {
namespace {

using namespace array_test;

// Version 5 files written by hand, in either byte order.
class Mat5Bytes {
 public:
  explicit Mat5Bytes(bool big = false) : big_(big) {}

  [[nodiscard]] std::string file(const std::string& variables) const {
    std::string header = "MATLAB 5.0 MAT-file";
    header.resize(124, ' ');
    return header + number(0x0100, 2) + (big_ ? "MI" : "IM") + variables;
  }
  [[nodiscard]] std::string number(std::uint64_t n, int count) const { return number_bytes(n, count, big_); }
  [[nodiscard]] std::string doubles(const std::vector<double>& values) const {
    std::string out;
    for (const double v : values) out += number(std::bit_cast<std::uint64_t>(v), 8);
    return out;
  }
  [[nodiscard]] std::string element(unsigned type, const std::string& data) const {
    std::string out = number(type, 4) + number(data.size(), 4) + data;
    out.resize((out.size() + 7) / 8 * 8);
    return out;
  }
  // Up to four bytes live in the tag itself.
  [[nodiscard]] std::string small_element(unsigned type, const std::string& data) const {
    std::string out = number((data.size() << 16U) | type, 4) + data;
    out.resize(8);
    return out;
  }
  [[nodiscard]] std::string matrix(unsigned flags, const std::vector<unsigned>& shape,
                                   const std::string& name, const std::string& content) const {
    std::string sizes;
    for (const unsigned n : shape) sizes += number(n, 4);
    return element(14, element(6, number(flags, 4) + number(0, 4)) + element(5, sizes) +
                           (name.size() <= 4 && !name.empty() ? small_element(1, name) : element(1, name)) +
                           content);
  }

 private:
  bool big_;
};

constexpr unsigned kDouble = 6;
constexpr unsigned kInt16 = 10;
constexpr unsigned kUint8 = 9;

class Mat : public ArrayFiles {
 protected:
  std::string file(const std::string& variables) {
    return folder.write("a.mat", Mat5Bytes().file(variables));
  }
};

TEST_F(Mat, EveryTypeComesBack) {
  for (const std::string dtype :
       {"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8"}) {
    SCOPED_TRACE(dtype);
    TensorFile file = dense_tensor({2, 3, 4}, ramp(24));
    if (dtype == "|b1") {
      for (double& v : file.entries.value) v = std::fmod(v, 2);
    }
    if (dtype[1] == 'f') file.entries.value[7] = kNaN;
    if (dtype[1] == 'i') file.entries.value[7] = -7;
    file.layout.dtype = dtype;
    file.layout.variable = "speed";
    write_fine(folder.path("a.mat"), file);
    const TensorFile back = read_fine(folder.path("a.mat"));
    expect_same_values(back.entries.value, file.entries.value);
    EXPECT_EQ(back.entries.cells, file.entries.cells);
    EXPECT_EQ(back.layout.dtype, dtype);
    EXPECT_EQ(back.layout.variable, "speed");
    EXPECT_EQ(back.missing, dtype[1] == 'f' ? 1 : 0);
    EXPECT_EQ(back.index_base, 1);
    EXPECT_TRUE(back.dense);
  }
}

TEST_F(Mat, TypesMatlabLacksBecomeItsOwn) {
  TensorFile file = dense_tensor({2, 2}, {1, 2, 3, 0.5});
  const auto written = [&](const std::string& dtype) {
    file.layout.dtype = dtype;
    write_fine(folder.path("a.mat"), file);
    const TensorFile back = read_fine(folder.path("a.mat"));
    EXPECT_EQ(back.entries.value, file.entries.value);
    return back.layout.dtype;
  };
  EXPECT_EQ(written("<f2"), "<f4");
  EXPECT_EQ(written(">f8"), "<f8");
  EXPECT_EQ(written(""), "<f8");
}

TEST_F(Mat, NamesAreOnesMatlabCanUse) {
  const auto written = [&](const std::string& name) {
    TensorFile file = dense_tensor({2, 2}, ramp(4));
    file.layout.variable = name;
    write_fine(folder.path("a.mat"), file);
    return read_fine(folder.path("a.mat")).layout.variable;
  };
  EXPECT_EQ(written(""), "data");
  EXPECT_EQ(written("x_1"), "x_1");
  EXPECT_EQ(written("data.Y"), "Y");
  EXPECT_EQ(written("2nd try"), "data");
  EXPECT_EQ(written(std::string(64, 'x')), "data");
}

TEST_F(Mat, BytesMeanWhatTheTagsSay) {
  for (const bool big : {false, true}) {
    const Mat5Bytes make(big);
    std::string numbers;
    for (const std::uint64_t n : {1U, 2U, 3U, 4U, 5U, 0xfffaU}) numbers += make.number(n, 2);
    // Column by column, and MATLAB keeps doubles in the smallest type that holds them.
    const std::string path = folder.write(
        "a.mat", make.file(make.matrix(kDouble, {2, 3}, "a", make.element(3, numbers)) +
                           make.matrix(kInt16, {1, 1}, "scalar", make.small_element(1, std::string(1, 'x'))) +
                           make.matrix(4, {1, 4}, "name", make.element(16, "abcd"))));
    const TensorFile file = read_fine(path);
    EXPECT_EQ(shape_of(file), (std::vector<Index>{2, 3}));
    EXPECT_EQ(file.entries.value, (std::vector<double>{1, 3, 5, 2, 4, -6}));
    EXPECT_EQ(file.layout.dtype, "<f8");
  }
}

TEST_F(Mat, FieldsOfStructsAreNamedWithDots) {
  const Mat5Bytes make;
  const auto field = [&](const std::vector<double>& v) {
    return make.matrix(kDouble, {2, 2}, "", make.element(9, make.doubles(v)));
  };
  std::string names("Y\0\0\0\0\0\0\0B\0\0\0\0\0\0\0", 16);
  const std::string inner =
      make.matrix(2, {1, 1}, "",
                  make.small_element(5, make.number(8, 4)) + make.element(1, names) + field({1, 2, 3, 4}) +
                      make.matrix(kDouble, {1, 1}, "", make.element(9, make.doubles({7}))));
  const std::string outer = make.matrix(
      2, {1, 1}, "data",
      make.small_element(5, make.number(8, 4)) +
          make.element(1, std::string("in\0\0\0\0\0\0e\0\0\0\0\0\0\0", 16)) + inner + make.element(14, ""));
  const std::string path =
      file(outer + make.matrix(kDouble, {2, 2}, "x", make.element(9, make.doubles({5, 6, 7, 8}))));
  ReadOptions options;
  options.variable = "data.in.Y";
  const TensorFile tensor = read_fine(path, options);
  EXPECT_EQ(tensor.entries.value, (std::vector<double>{1, 3, 2, 4}));
  EXPECT_EQ(tensor.layout.variable, "data.in.Y");
  options.variable = "x";
  EXPECT_EQ(read_fine(path, options).entries.value, (std::vector<double>{5, 7, 6, 8}));
  const std::string all =
      "data (1 x 1 struct), data.in (1 x 1 struct), data.in.Y (2 x 2 double), data.in.B (1 x 1 double), x (2 "
      "x 2 double)";
  EXPECT_EQ(read_error(path),
            "a.mat: found 2 numeric arrays of at least 2 modes, expected one or the name of one: " + all);
  options.variable = "data.out";
  EXPECT_EQ(read_error(path, options), "a.mat: found no variable 'data.out', expected one of: " + all);
  options.variable = "data.in";
  EXPECT_EQ(read_error(path, options), "a.mat: found 'data.in' to be of type struct, expected numbers");
}

TEST_F(Mat, SparseMatricesComeBackColumnByColumn) {
  TensorFile tensor = sparse_tensor({4, 3}, {{3, 2}, {1, 0}, {0, 2}}, {5, 6, kNaN});
  write_fine(folder.path("a.mat"), tensor);
  const TensorFile back = read_fine(folder.path("a.mat"));
  EXPECT_FALSE(back.dense);
  EXPECT_EQ(shape_of(back), (std::vector<Index>{4, 3}));
  EXPECT_EQ(back.entries.cells, (Cells{{1, 0, 3}, {0, 2, 2}}));
  expect_same_values(back.entries.value, {6, kNaN, 5});
  EXPECT_EQ(back.missing, 1);
  EXPECT_EQ(back.index_base, 1);
  EXPECT_EQ(write_error(folder.path("b.mat"), sparse_tensor({4, 3}, {{3, 2}, {3, 2}}, {5, 6})),
            "b.mat: cell (4, 3) is listed twice");
  EXPECT_EQ(write_error(folder.path("b.mat"), sparse_tensor({4, 3}, {{3, 3}}, {5})),
            "b.mat: entry 1 lies outside mode 'mode2' of size 3");
  EXPECT_EQ(folder.files(), 1U);
}

TEST_F(Mat, DamagedSparseMatricesAreRefused) {
  const Mat5Bytes make;
  const auto sparse = [&](const std::vector<unsigned>& rows, const std::vector<unsigned>& starts) {
    std::string row_bytes;
    std::string start_bytes;
    for (const unsigned n : rows) row_bytes += make.number(n, 4);
    for (const unsigned n : starts) start_bytes += make.number(n, 4);
    return file(make.matrix(
        5, {2, 2}, "s",
        make.element(5, row_bytes) + make.element(5, start_bytes) + make.element(9, make.doubles({1, 2}))));
  };
  EXPECT_EQ(read_fine(sparse({0, 1}, {0, 1, 2})).entries.value, (std::vector<double>{1, 2}));
  const std::string start = "a.mat: found a damaged sparse matrix 's': ";
  EXPECT_EQ(read_error(sparse({0, 2}, {0, 1, 2})), start + "a row lies outside it");
  EXPECT_EQ(read_error(sparse({0, 1}, {0, 1, 3})), start + "it has fewer numbers than it says");
  EXPECT_EQ(read_error(sparse({0, 1}, {0, 2, 1})), start + "its columns do not follow each other");
  EXPECT_EQ(read_error(sparse({0, 1}, {0, 2})), start + "its columns do not follow each other");
  EXPECT_EQ(read_error(sparse({0, 0xffffffffU}, {0, 1, 2})),
            "a.mat: found a damaged variable at byte 128: its numbers are not all there");
}

TEST_F(Mat, MoreModesThanTwoAreWrittenWhole) {
  write_fine(folder.path("a.mat"), sparse_tensor({2, 1, 2}, {{0, 0, 1}}, {5}));
  expect_same_values(read_fine(folder.path("a.mat")).entries.value, {kNaN, 5, kNaN, kNaN});
}

TEST_F(Mat, ListsOfEntriesAreReadByColumns) {
  // user, item, rating, day
  const TensorFile list = dense_tensor({3, 4}, {1, 5, 0.5, 2, 3, 4, kNaN, 1, 2, 5, 1.5, 3});
  const std::string path = folder.path("a.mat");
  write_fine(path, list);
  ReadOptions options;
  options.table_indices = true;
  options.value_column = "3";
  TensorFile file = read_fine(path, options);
  EXPECT_FALSE(file.dense);
  EXPECT_EQ(file.index_base, 1);
  EXPECT_EQ(file.entries.cells, (Cells{{0, 2, 1}, {4, 3, 4}, {1, 0, 2}}));
  expect_same_values(file.entries.value, {0.5, kNaN, 1.5});
  EXPECT_EQ(file.missing, 1);
  EXPECT_EQ(shape_of(file), (std::vector<Index>{3, 5, 3}));

  options = {};
  options.columns = {"2", "1"};  // the value is the last of the others
  options.index_base = 0;
  options.shape = {6, 4};
  file = read_fine(path, options);
  EXPECT_EQ(file.entries.cells, (Cells{{5, 4, 5}, {1, 3, 2}}));
  EXPECT_EQ(file.entries.value, (std::vector<double>{2, 1, 3}));
  EXPECT_EQ(shape_of(file), options.shape);
}

TEST_F(Mat, ListsCountFromZeroWhereAZeroIsSeen) {
  write_fine(folder.path("a.mat"), dense_tensor({2, 3}, {1, 0, 5, 2, 1, 6}));
  ReadOptions options;
  options.table_indices = true;
  const TensorFile file = read_fine(folder.path("a.mat"), options);
  EXPECT_EQ(file.index_base, 0);
  EXPECT_EQ(file.entries.cells, (Cells{{1, 2}, {0, 1}}));
  options.index_base = 1;
  EXPECT_EQ(read_error(folder.path("a.mat"), options),
            "a.mat:1:2: found 0, expected an index from 1 to 4294967294");
}

TEST_F(Mat, BadListsAreExplained) {
  const std::string path = folder.path("a.mat");
  write_fine(path, dense_tensor({2, 3}, {1, 2, 5, 2, 1.5, 6}));
  ReadOptions options;
  options.table_indices = true;
  EXPECT_EQ(read_error(path, options), "a.mat:2:2: found 1.5, expected an index from 1 to 4294967294");
  options.columns = {"user", "item"};
  EXPECT_EQ(read_error(path, options),
            "columns: found 'user', expected a column number from 1 to 3: a .mat array has no column names");
  options.columns = {"1", "1"};
  EXPECT_EQ(read_error(path, options), "columns: column 1 is named twice");
  options.columns = {"1", "4"};
  EXPECT_EQ(read_error(path, options),
            "columns: found '4', expected a column number from 1 to 3: a .mat array has no column names");
  options.columns = {"1", "3"};
  options.value_column = "3";
  EXPECT_EQ(read_error(path, options), "value-column: column 3 is a mode");
  options.columns = {"1", "2", "3"};
  options.value_column = "";
  EXPECT_EQ(read_error(path, options), "a.mat: found 3 columns, expected one more for the values");
  options.columns = {"1"};
  EXPECT_EQ(read_error(path, options),
            "a.mat: found 1 columns of indices, but a tensor needs at least 2 modes");
  options.columns = {"1", "3"};
  options.shape = {2, 5};
  EXPECT_EQ(read_error(path, options), "a.mat:2:3: found 6, expected an index from 1 to 5");
}

TEST_F(Mat, ListsOfCellsToPredictNeedNoValues) {
  write_fine(folder.path("a.mat"), dense_tensor({2, 2}, {1, 2, 3, 1}));
  const std::vector<Mode> known = {{.name = "user", .size = 2, .labels = {}},
                                   {.name = "item", .size = 2, .labels = {}}};
  ReadOptions options;
  options.table_indices = true;
  options.known_modes = &known;
  options.index_base = 1;
  const TensorFile file = read_fine(folder.path("a.mat"), options);
  EXPECT_EQ(file.entries.cells, (Cells{{0, 2}, {1, 0}}));
  EXPECT_EQ(file.missing, 2);
  EXPECT_EQ(file.modes[1].name, "item");
}

TEST_F(Mat, DamagedFilesAreExplained) {
  const Mat5Bytes make;
  const std::string four = make.element(9, make.doubles({1, 2, 3, 4}));
  EXPECT_EQ(read_error(folder.write("a.mat", "hello")),
            "a.mat: found no MATLAB file that can be read, expected version 4, 5, 7 or 7.3");
  EXPECT_EQ(read_error(file("")), "a.mat: found no variables");
  EXPECT_EQ(read_error(file(make.element(77, "x"))),
            "a.mat: found a damaged variable at byte 128: found an element of type 77");
  EXPECT_EQ(read_error(file(make.number(14, 4) + make.number(0xfffffff0U, 4))),
            "a.mat: found a damaged variable at byte 128: it goes beyond the end of the file");
  EXPECT_EQ(read_error(file(make.matrix(kDouble, {2, 3}, "a", four))),
            "a.mat: found a damaged variable at byte 128: its numbers are not all there");
  EXPECT_EQ(read_error(file(make.element(14, make.element(9, "x")))),
            "a.mat: found a damaged variable at byte 128: its flags, sizes or name make no sense");
  EXPECT_EQ(read_error(file(make.element(15, "xxxxxxxx"))),
            "a.mat: found packed data that are damaged: incorrect header check");
  ReadOptions options;
  options.variable = "a";
  EXPECT_EQ(read_error(file(make.matrix(kDouble | 0x800U, {2, 2}, "a", four + four)), options),
            "a.mat: found 'a' to be complex, expected real numbers");
  EXPECT_EQ(read_error(file(make.matrix(kUint8, {0, 2}, "a", make.element(2, ""))), options),
            "a.mat: found an array of 0 x 2, expected sizes from 1 to 4294967294");
  EXPECT_EQ(
      read_error(file(make.matrix(kDouble, {2, 2}, "a", make.element(9, make.doubles({1, 2, HUGE_VAL, 4}))))),
      "a.mat: found inf in cell (1, 2), counted from 1, expected a finite number or NaN");
}

TEST_F(Mat, SizesAreCheckedBeforeAnythingIsAllocated) {
  const Mat5Bytes make;
  const std::string path =
      file(make.matrix(kDouble, {2000000000U, 2000000000U}, "a", make.element(9, make.doubles({1}))));
  const auto read = read_tensor(path);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kMemory);
}

TEST_F(Mat, Version73ComesThroughLibmatio) {
  io::MatVariable variable;
  variable.name = "x";
  variable.shape = {2, 3, 4};
  variable.dtype = "<u2";
  io::Bytes bytes;
  for (std::uint64_t n = 0; n < 24; ++n) io::append_number(bytes, n, 2);  // first mode fastest
  const auto written = io::write_mat73(folder.path("a.mat"), variable, bytes);
  ASSERT_TRUE(written.ok()) << written.error().message();
  EXPECT_EQ(folder.read("a.mat").substr(512, 4), "\x89HDF");
  const TensorFile file = read_fine(folder.path("a.mat"));
  EXPECT_EQ(shape_of(file), (std::vector<Index>{2, 3, 4}));
  EXPECT_EQ(file.layout.dtype, "<u2");
  EXPECT_EQ(file.layout.variable, "x");
  for (std::size_t e = 0; e < 24; ++e) {
    const auto& index = file.entries.cells;
    EXPECT_EQ(file.entries.value[e], index[0][e] + 2 * index[1][e] + 6 * index[2][e]);
  }
  ReadOptions options;
  options.variable = "y";
  EXPECT_EQ(read_error(folder.path("a.mat"), options),
            "a.mat: found no variable 'y', expected one of: x (2 x 3 x 4 uint16)");

  variable.dtype = "<c8";  // nothing MATLAB has
  EXPECT_FALSE(io::write_mat73(folder.path("b.mat"), variable, bytes).ok());
  EXPECT_EQ(folder.files(), 1U);
}

TEST_F(Mat, Version4ComesThroughLibmatio) {
  const Mat5Bytes make;
  const auto version4 = [&](unsigned rows, const std::vector<double>& numbers) {
    return folder.write("a.mat", make.number(0, 4) + make.number(rows, 4) + make.number(3, 4) +
                                     make.number(0, 4) + make.number(2, 4) + std::string("x\0", 2) +
                                     make.doubles(numbers));
  };
  EXPECT_EQ(read_fine(version4(2, {1, 2, 3, 4, 5, 6})).entries.value,
            (std::vector<double>{1, 3, 5, 2, 4, 6}));
  EXPECT_EQ(read_error(version4(90000000, {1})),
            "a.mat: found no MATLAB file that can be read, expected version 4, 5, 7 or 7.3");
}

TEST_F(Mat, DamageIsSurvived) {
  write_fine(folder.path("packed.mat"), dense_tensor({3, 4, 5}, ramp(60)));
  survive_damage("packed.mat");
  write_fine(folder.path("sparse.mat"), sparse_tensor({4, 3}, {{3, 2}, {1, 0}, {0, 2}}, {5, 6, 7}));
  survive_damage("sparse.mat");
  const Mat5Bytes make;
  const std::string field = make.matrix(kDouble, {2, 2}, "", make.element(9, make.doubles({1, 2, 3, 4})));
  file(make.matrix(2, {1, 1}, "data",
                   make.small_element(5, make.number(8, 4)) +
                       make.element(1, std::string("Y\0\0\0\0\0\0\0", 8)) + field) +
       make.matrix(kInt16, {2, 3}, "tail", make.element(3, "123456789012")));
  survive_damage("a.mat");
}

}  // namespace
}  // namespace lacuna
