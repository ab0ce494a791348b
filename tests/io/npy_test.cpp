// SPDX-License-Identifier: MIT
#include <bit>

#include "array_files.hpp"
#include "io/array/dtype.hpp"

namespace lacuna {
namespace {

using namespace array_test;

class Npy : public ArrayFiles {};

TEST_F(Npy, EveryTypeOrderAndByteOrderComesBack) {
  for (const std::string type : {"b1", "i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", "f2", "f4", "f8"}) {
    for (const bool fortran : {false, true}) {
      for (const char order : {'<', '>'}) {
        if (type != "f4" && fortran != (order == '>')) continue;  // each order with each, once
        TensorFile file = dense_tensor({2, 3, 4}, ramp(24));
        if (type == "b1") {
          for (double& v : file.entries.value) v = std::fmod(v, 2);
        }
        if (type[0] == 'i') file.entries.value[5] = -7;
        if (type[0] == 'f') file.entries.value[5] = kNaN;
        file.layout.dtype = (type[1] == '1' ? '|' : order) + type;
        file.layout.fortran_order = fortran;
        SCOPED_TRACE(file.layout.dtype + (fortran ? " F" : " C"));
        write_fine(folder.path("a.npy"), file);
        const TensorFile back = read_fine(folder.path("a.npy"));
        expect_same_values(back.entries.value, file.entries.value);
        EXPECT_EQ(back.entries.cells, file.entries.cells);
        EXPECT_EQ(back.layout.dtype, file.layout.dtype);
        EXPECT_EQ(back.layout.fortran_order, fortran);
        EXPECT_EQ(back.missing, type[0] == 'f' ? 1 : 0);
        EXPECT_TRUE(back.dense);
        EXPECT_EQ(back.index_base, 0);
        EXPECT_EQ(back.modes[2].name, "mode3");
        if (type != "f4") continue;
        const std::string bytes = folder.read("a.npy");
        write_fine(folder.path("b.npy"), back);
        EXPECT_EQ(folder.read("b.npy"), bytes);
      }
    }
  }
}

TEST_F(Npy, BytesMeanWhatTheHeaderSays) {
  std::string little;
  std::string big;
  for (const std::uint64_t n : {1U, 2U, 3U, 4U, 5U, 0xfffaU}) {
    little += number_bytes(n, 2);
    big += number_bytes(n, 2, true);
  }
  const std::vector<double> row_by_row = {1, 2, 3, 4, 5, -6};
  const std::vector<double> column_by_column = {1, 3, 5, 2, 4, -6};
  for (const int version : {1, 2, 3}) {
    SCOPED_TRACE(version);
    const auto read = [&](const std::string& bytes) {
      const TensorFile file = read_fine(folder.write("a.npy", bytes));
      EXPECT_EQ(shape_of(file), (std::vector<Index>{2, 3}));
      return file.entries.value;
    };
    EXPECT_EQ(read(npy_bytes("<i2", false, "(2, 3)", little, version)), row_by_row);
    EXPECT_EQ(read(npy_bytes(">i2", false, "(2, 3)", big, version)), row_by_row);
    EXPECT_EQ(read(npy_bytes("<i2", true, "(2, 3)", little, version)), column_by_column);
    EXPECT_EQ(read(npy_bytes(">i2", true, "(2L, 3L,)", big, version)), column_by_column);
  }
}

TEST_F(Npy, KeysMayComeInAnyOrderAndQuotes) {
  const std::string header = "{\"shape\":(1,2),'fortran_order':False,\"descr\":\"|u1\"}\n";
  EXPECT_EQ(read_fine(folder.write("a.npy", npy_text(header, "\x05\xff"))).entries.value,
            (std::vector<double>{5, 255}));
}

TEST(Dtype, EveryHalfSurvivesTheWayToDoubleAndBack) {
  const auto half = *io::parse_dtype("<f2");
  for (unsigned bits = 0; bits < 0x10000; ++bits) {
    const unsigned char bytes[2] = {static_cast<unsigned char>(bits & 0xffU),
                                    static_cast<unsigned char>(bits >> 8U)};
    double value = 0;
    io::decode_numbers(half, bytes, 1, &value);
    if (!std::isfinite(value)) continue;
    unsigned char back[2] = {0, 0};
    ASSERT_FALSE(io::encode_numbers(half, &value, 1, back).has_value()) << bits;
    ASSERT_EQ(back[0] | (back[1] << 8), static_cast<int>(bits)) << value;
  }
}

TEST(Dtype, HalvesRoundToTheNearestEven) {
  const auto half = *io::parse_dtype("<f2");
  const auto bits = [&](double value) {
    unsigned char out[2] = {0, 0};
    EXPECT_FALSE(io::encode_numbers(half, &value, 1, out).has_value());
    return out[0] | (out[1] << 8);
  };
  EXPECT_EQ(bits(1.0), 0x3c00);
  EXPECT_EQ(bits(65504), 0x7bff);
  EXPECT_EQ(bits(65519.99), 0x7bff);
  EXPECT_EQ(bits(1 + std::ldexp(1, -11)), 0x3c00);
  EXPECT_EQ(bits(1 + 3 * std::ldexp(1, -11)), 0x3c02);
  EXPECT_EQ(bits(1 + std::ldexp(1, -11) + std::ldexp(1, -40)), 0x3c01);  // a float in between is a tie
  EXPECT_EQ(bits(1 + 3 * std::ldexp(1, -11) - std::ldexp(1, -40)), 0x3c01);
  EXPECT_EQ(bits(std::ldexp(1, -25) * (1 + std::ldexp(1, -30))), 0x0001);
  EXPECT_EQ(bits(2 - std::ldexp(1, -12)), 0x4000);
  EXPECT_EQ(bits(std::ldexp(1, -24)), 0x0001);
  EXPECT_EQ(bits(std::ldexp(1, -26)), 0x0000);
  EXPECT_EQ(bits(-0.0), 0x8000);
  const double large = 65520;
  unsigned char out[2] = {0, 0};
  EXPECT_EQ(io::encode_numbers(half, &large, 1, out), std::optional<std::size_t>(0));
}

TEST(Dtype, OnlyPlainRealNumbersAreKnown) {
  for (const char* const text :
       {"O", "|O", "<c8", "<f16", "|S3", "<U2", "<M8", "<i3", "|b2", "", "<", "<f", "<f88"}) {
    EXPECT_FALSE(io::parse_dtype(text).has_value()) << text;
  }
  EXPECT_EQ(io::dtype_text(*io::parse_dtype("?")), "|b1");
  EXPECT_EQ(io::dtype_text(*io::parse_dtype(">u1")), "|u1");
  EXPECT_EQ(io::dtype_text(*io::parse_dtype("=f4")), "<f4");
}

TEST_F(Npy, WholeNumberTypesRoundAndKeepToTheirRange) {
  const std::vector<double> value = {-300, -0.4, 1.5, 126.6, 127.6, 300};
  const auto written = [&](const std::string& dtype, const std::vector<double>& numbers) {
    TensorFile file = dense_tensor({2, 3}, numbers);
    file.layout.dtype = dtype;
    write_fine(folder.path("a.npy"), file);
    return read_fine(folder.path("a.npy")).entries.value;
  };
  EXPECT_EQ(written("|i1", value), (std::vector<double>{-128, 0, 2, 127, 127, 127}));
  EXPECT_EQ(written("|u1", value), (std::vector<double>{0, 0, 2, 127, 128, 255}));
  const double huge = std::ldexp(1, 70);
  EXPECT_EQ(written("<i8", {-huge, huge, 0, 1, 2, 3}),
            (std::vector<double>{-std::ldexp(1, 63), std::ldexp(1, 63), 0, 1, 2, 3}));
  EXPECT_EQ(written("<u8", {-huge, huge, 0, 1, 2, 3}),
            (std::vector<double>{0, std::ldexp(1, 64), 0, 1, 2, 3}));
}

TEST_F(Npy, StoredNumberIsValueTimesScale) {
  TensorFile file = dense_tensor({1, 3}, {0, 0.5, 1});
  file.layout.dtype = "|u1";
  file.layout.scale = 255;
  write_fine(folder.path("a.npy"), file);
  EXPECT_EQ(read_fine(folder.path("a.npy")).entries.value, (std::vector<double>{0, 128, 255}));
}

TEST_F(Npy, MissingValueAndNanAreCounted) {
  const std::string path = folder.path("a.npy");
  write_fine(path, dense_tensor({2, 3}, {0, 1, kNaN, 0, 2, 3}));
  EXPECT_EQ(read_fine(path).missing, 1);
  ReadOptions options;
  options.missing_value = 0;
  const TensorFile file = read_fine(path, options);
  EXPECT_EQ(file.missing, 3);
  expect_same_values(file.entries.value, {kNaN, 1, kNaN, kNaN, 2, 3});
}

TEST_F(Npy, InfinityIsAnErrorThatNamesTheCell) {
  std::string numbers;
  for (int i = 0; i < 12; ++i) numbers += number_bytes(i == 7 ? 0xff800000U : 0U, 4);
  const std::string path = folder.write("a.npy", npy_bytes("<f4", false, "(2, 2, 3)", numbers));
  EXPECT_EQ(read_error(path),
            "a.npy: found -inf in cell (1, 0, 1), counted from 0, expected a finite number or NaN");
  ReadOptions options;  // unless the value is one that means missing
  options.missing_value = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(read_fine(path, options).missing, 1);
}

TEST_F(Npy, DamagedHeadersAreExplained) {
  const auto error = [&](const std::string& bytes) { return read_error(folder.write("a.npy", bytes)); };
  const auto header_error = [&](const std::string& header) { return error(npy_text(header, "12")); };
  EXPECT_EQ(error("hello world, hello"), "a.npy: found no .npy array: it does not start with \\x93NUMPY");
  EXPECT_EQ(error(""), "a.npy: found no .npy array: it does not start with \\x93NUMPY");
  EXPECT_EQ(error(npy_text("", "").substr(0, 9)), "a.npy: found the end of the file in the header");
  EXPECT_EQ(error(npy_bytes("|u1", false, "(1, 2)", "12", 4)),
            "a.npy: found .npy version 4.0, expected 1.0, 2.0 or 3.0");
  EXPECT_EQ(error("\x93NUMPY" + number_bytes(2, 2) + number_bytes(0xfffffff0U, 4) + "{"),
            "a.npy: found the end of the file at byte 13, expected 4294967292 bytes from 0 on");
  EXPECT_EQ(header_error("'descr'"), "a.npy: found ''descr'' in the header, expected '{'");
  EXPECT_EQ(header_error("{'descr': 3}"), "a.npy: found '3}' in the header, expected a quoted dtype");
  EXPECT_EQ(header_error("{'descr': '|u1', 'shape': (1, -2)}"),
            "a.npy: found '-2)}' in the header, expected a tuple of sizes");
  EXPECT_EQ(header_error("{'fortran_order': 1}"), "a.npy: found '1}' in the header, expected True or False");
  EXPECT_EQ(header_error("{'evil': 1}"),
            "a.npy: found the header key 'evil', expected descr, fortran_order and shape once each");
  EXPECT_EQ(header_error("{'shape': (1, 2), 'shape': (1, 2)}"),
            "a.npy: found the header key 'shape', expected descr, fortran_order and shape once each");
  EXPECT_EQ(header_error("{'shape': (1, 2)}"),
            "a.npy: the header lacks one of descr, fortran_order and shape");
  EXPECT_EQ(header_error("{'descr': '|u1', 'fortran_order': False, 'shape': (1, 2)} + x"),
            "a.npy: found '+ x' in the header, expected the end of the header");
}

TEST_F(Npy, OtherThanRealNumbersIsRefused) {
  const auto error = [&](const std::string& dtype) {
    return read_error(folder.write("a.npy", npy_bytes(dtype, false, "(1, 2)", std::string(32, 'x'))));
  };
  const std::string expected = ", expected bool, i1 to i8, u1 to u8, f2, f4 or f8";
  EXPECT_EQ(
      error("|O"),
      "a.npy: found an array of dtype '|O' (pickled Python objects, which are never loaded)" + expected);
  EXPECT_EQ(error("<c16"), "a.npy: found an array of dtype '<c16' (complex numbers)" + expected);
  EXPECT_EQ(error("<U4"), "a.npy: found an array of dtype '<U4' (text)" + expected);
  EXPECT_EQ(error("<f16"), "a.npy: found an array of dtype '<f16'" + expected);
  EXPECT_EQ(read_error(folder.write("a.npy", npy_text("{'descr': [('x', '<f8')], ", ""))),
            "a.npy: found records (a structured dtype), expected plain numbers");
}

TEST_F(Npy, SizesAreCheckedBeforeAnythingIsAllocated) {
  const auto error = [&](const std::string& shape, const std::string& numbers) {
    return read_error(folder.write("a.npy", npy_bytes("<f8", false, shape, numbers)));
  };
  const std::string six(48, '\0');
  EXPECT_EQ(error("(2, 4)", six),
            "a.npy: found 48 bytes after the header, expected 64 for 2 x 4 numbers of dtype <f8");
  EXPECT_EQ(error("(2, 2)", six),
            "a.npy: found 48 bytes after the header, expected 32 for 2 x 2 numbers of dtype <f8");
  EXPECT_EQ(error("(4294967296, 4294967296)", six),
            "a.npy: found 48 bytes after the header, expected more than 2^64 for 4294967296 x 4294967296 "
            "numbers of "
            "dtype <f8");
  EXPECT_EQ(error("(0, 9223372036854775807, 4)", ""),
            "a.npy: found an array of 0 x 9223372036854775807 x 4, expected sizes from 1 to 4294967294");
  EXPECT_EQ(error("()", std::string(8, '\0')),
            "a.npy: found a 0-d array, but a tensor needs at least 2 modes");
  EXPECT_EQ(error("(6,)", six), "a.npy: found a 1-d array, but a tensor needs at least 2 modes");
  EXPECT_EQ(read_error(folder.path("none.npy")), "none.npy: No such file or directory");
}

TEST_F(Npy, ShapeAndKnownModes) {
  const std::string path = folder.path("a.npy");
  write_fine(path, dense_tensor({2, 3}, ramp(6)));
  ReadOptions options;
  options.shape = {3, 3};
  EXPECT_EQ(read_error(path, options), "a.npy: found an array of 2 x 3, expected 3 x 3");
  options = {};
  options.index_base = 0;
  const std::vector<Mode> known = {{.name = "user", .size = 2, .labels = {}},
                                   {.name = "item", .size = 2, .labels = {}}};
  options.known_modes = &known;
  const TensorFile file = read_fine(path, options);
  EXPECT_EQ(positions(file.entries.cells, 1), (std::vector<Index>{0, 1, 2, 0, 1, 2}));
  EXPECT_EQ(file.modes[0].name, "user");
  EXPECT_EQ(file.modes[1].size, 3U);
  EXPECT_TRUE(file.dense);
  const std::vector<Mode> three(3);
  options.known_modes = &three;
  EXPECT_EQ(read_error(path, options), "a.npy: found 2 modes, expected the model's 3");
}

TEST_F(Npy, MasksHideCells) {
  const std::string path = folder.path("a.npy");
  write_fine(path, dense_tensor({2, 2, 2}, ramp(8)));
  ReadOptions options;
  options.mask = folder.path("mask.npy");
  TensorFile mask = dense_tensor({2, 2, 2}, {1, 0, 1, 1, kNaN, 1, -2, 1});
  write_fine(options.mask, mask);
  expect_same_values(read_fine(path, options).entries.value, {0, kNaN, 2, 3, kNaN, 5, 6, 7});
  options.invert_mask = true;
  expect_same_values(read_fine(path, options).entries.value, {kNaN, 1, kNaN, kNaN, 4, kNaN, kNaN, kNaN});

  mask = dense_tensor({2, 2}, {1, 0, 0, 1});
  mask.layout.dtype = "|b1";
  write_fine(options.mask, mask);
  options.invert_mask = false;
  const TensorFile file = read_fine(path, options);
  expect_same_values(file.entries.value, {0, 1, kNaN, kNaN, kNaN, kNaN, 6, 7});
  EXPECT_EQ(file.missing, 4);

  write_fine(options.mask, dense_tensor({2, 3}, ramp(6)));
  EXPECT_EQ(read_error(path, options),
            "mask.npy: found a mask of 2 x 3, expected 2 x 2 or 2 x 2 x 2 as in a.npy");
}

TEST_F(Npy, CellsNotListedAreNan) {
  write_fine(folder.path("a.npy"), sparse_tensor({2, 3}, {{1, 2}, {0, 1}}, {5, 7}));
  const TensorFile file = read_fine(folder.path("a.npy"));
  expect_same_values(file.entries.value, {kNaN, 7, kNaN, kNaN, kNaN, 5});
  EXPECT_EQ(file.layout.dtype, "<f8");
}

TEST_F(Npy, WhatCannotBeWrittenLeavesNoFile) {
  const std::string path = folder.path("a.npy");
  TensorFile file = dense_tensor({2, 3}, {1, 2, 3, 4, kNaN, 6});
  file.layout.dtype = "<i2";
  EXPECT_EQ(write_error(path, file),
            "a.npy: cell (1, 1) has no value, and numbers of type <i2 cannot be NaN");
  file.layout.fortran_order = true;
  EXPECT_EQ(write_error(path, file),
            "a.npy: cell (1, 1) has no value, and numbers of type <i2 cannot be NaN");
  file = dense_tensor({1, 2}, {0, 1e300});
  file.layout.dtype = "<f4";
  EXPECT_EQ(write_error(path, file), "a.npy: cell (0, 1) is 1e+300, too large for numbers of type <f4");
  file.layout.dtype = "|O";
  EXPECT_EQ(write_error(path, file), "a.npy: found the number type '|O', expected one such as '<f8'");
  EXPECT_EQ(write_error(path, sparse_tensor({2, 2}, {{0, 1}, {0, 1}}, {1, 2})),
            "a.npy: cell (1, 2) is listed twice");
  EXPECT_EQ(write_error(path, sparse_tensor({2, 2}, {{0, kUnseen}}, {1})),
            "a.npy: entry 1 lies outside mode 'mode2' of size 2");
  EXPECT_EQ(write_error(path, dense_tensor({1, 1}, {std::numeric_limits<double>::infinity()})),
            "a.npy: cell (0, 0) is infinite");
  EXPECT_EQ(folder.files(), 0U);
}

TEST_F(Npy, TooLargeForMemoryIsSaidFirst) {
  const auto written =
      write_tensor(folder.path("a.npy"), sparse_tensor({4000000000U, 1000000}, {{0, 0}}, {1}));
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().kind, ErrorKind::kMemory);
  EXPECT_NE(written.error().what.find("what has 4000000000000000 cells needs about 32000.0 TB"),
            std::string::npos)
      << written.error().what;
  const auto worse = write_tensor(folder.path("a.npy"), sparse_tensor({4000000000U, 4000000000U, 9}, {}, {}));
  ASSERT_FALSE(worse.ok());
  EXPECT_EQ(worse.error().kind, ErrorKind::kMemory);
}

TEST_F(Npy, DamageIsSurvived) {
  TensorFile file = dense_tensor({3, 4, 5}, ramp(60));
  file.layout.fortran_order = true;
  write_fine(folder.path("a.npy"), file);
  survive_damage("a.npy");
}

}  // namespace
}  // namespace lacuna
