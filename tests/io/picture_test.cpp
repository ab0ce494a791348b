// SPDX-License-Identifier: MIT
#include "io/picture/picture.hpp"

#include "array_files.hpp"

namespace lacuna {
namespace {

using namespace array_test;

// A BMP written by hand. A negative height: rows from the top down.
std::string bmp(int columns, int rows, int bits, const std::string& after_header, int compression = 0,
                int header = 40, std::size_t pixels_at = 54) {
  return "BM" + number_bytes(54 + after_header.size(), 4) + number_bytes(0, 4) + number_bytes(pixels_at, 4) +
         number_bytes(static_cast<std::uint64_t>(header), 4) +
         number_bytes(static_cast<std::uint64_t>(columns), 4) +
         number_bytes(static_cast<std::uint64_t>(rows), 4) + number_bytes(1, 2) +
         number_bytes(static_cast<std::uint64_t>(bits), 2) +
         number_bytes(static_cast<std::uint64_t>(compression), 4) + number_bytes(0, 20) + after_header;
}

std::string png_chunk(const std::string& type, const std::string& data) {
  return number_bytes(data.size(), 4, true) + type + data + number_bytes(crc32(type + data), 4, true);
}

TensorFile picture_tensor(const std::vector<Index>& shape, const std::vector<double>& stored, double scale) {
  std::vector<double> value = stored;
  for (double& v : value) v /= scale;
  TensorFile file = dense_tensor(shape, value);
  file.layout.scale = scale;
  file.layout.dtype = scale == 255 ? "|u1" : "<u2";
  return file;
}

class Pictures : public ArrayFiles {};

TEST_F(Pictures, ExactFormatsComeBackExactly) {
  struct Case {
    const char* name;
    double scale;
  };
  for (const Case c : {Case{"a.png", 255}, Case{"a.png", 65535}, Case{"a.bmp", 255}}) {
    for (const bool gray : {false, true}) {
      const std::vector<Index> shape = gray ? std::vector<Index>{3, 5} : std::vector<Index>{3, 5, 3};
      std::vector<double> stored = ramp(gray ? 15 : 45, std::floor(c.scale / 45));
      stored.back() = c.scale;
      SCOPED_TRACE(std::string(c.name) + (gray ? " gray " : " colour ") + std::to_string(c.scale));
      const TensorFile file = picture_tensor(shape, stored, c.scale);
      write_fine(folder.path(c.name), file);
      const TensorFile back = read_fine(folder.path(c.name));
      EXPECT_EQ(shape_of(back), shape);
      EXPECT_EQ(back.entries.value, file.entries.value);
      EXPECT_EQ(back.entries.cells, file.entries.cells);
      EXPECT_EQ(back.layout.scale, c.scale);
      EXPECT_EQ(back.layout.dtype, file.layout.dtype);
      EXPECT_EQ(back.format, Format::kPicture);
      EXPECT_EQ(back.index_base, 0);
      EXPECT_TRUE(back.dense);
      EXPECT_EQ(back.modes[0].name, "row");
      EXPECT_EQ(back.modes[1].name, "column");
      if (!gray) {
        EXPECT_EQ(back.modes[2].name, "channel");
      }
    }
  }
}

TEST_F(Pictures, JpegComesBackNearly) {
  constexpr double kTolerance = 0.03;  // quality 95 on a smooth picture
  for (const Index channels : {1U, 3U}) {
    std::vector<double> stored;
    for (int r = 0; r < 16; ++r) {
      for (int c = 0; c < 24; ++c) {
        for (Index k = 0; k < channels; ++k) stored.push_back(4 * r + 6 * c + 20 * k);
      }
    }
    const TensorFile file = picture_tensor({16, 24, channels}, stored, 255);
    write_fine(folder.path("a.jpg"), file);
    const TensorFile back = read_fine(folder.path("a.jpg"));
    ASSERT_EQ(back.entries.size(), file.entries.size());
    EXPECT_EQ(back.modes.size(), channels == 1 ? 2U : 3U);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      EXPECT_NEAR(back.entries.value[i], file.entries.value[i], kTolerance);
    }
  }
}

TEST_F(Pictures, TransparentPixelsAreMissing) {
  for (const double scale : {255.0, 65535.0}) {
    TensorFile file = picture_tensor({1, 3, 3}, {1, 2, 3, 0, 0, 0, 7, 8, 9}, scale);
    for (std::size_t i = 3; i < 6; ++i) file.entries.value[i] = kNaN;
    write_fine(folder.path("a.png"), file);
    const TensorFile back = read_fine(folder.path("a.png"));
    expect_same_values(back.entries.value, file.entries.value);
    EXPECT_EQ(back.missing, 3);
    EXPECT_EQ(shape_of(back), (std::vector<Index>{1, 3, 3}));
  }
  const TensorFile gray = dense_tensor({2, 2}, {0, kNaN, 1, 1});
  write_fine(folder.path("a.png"), gray);
  expect_same_values(read_fine(folder.path("a.png")).entries.value, gray.entries.value);
}

TEST_F(Pictures, OddPngsAreUnderstood) {
  const auto png = [&](int bits, int colour, const std::string& chunks, const std::string& rows) {
    std::string stored = "\x78\x01\x01" + number_bytes(rows.size(), 2) + number_bytes(~rows.size(), 2) + rows;
    std::uint32_t a = 1;  // Adler's checksum
    std::uint32_t b = 0;
    for (const char c : rows) {
      a = (a + static_cast<unsigned char>(c)) % 65521;
      b = (b + a) % 65521;
    }
    stored += number_bytes((b << 16U) | a, 4, true);
    const std::string header = number_bytes(2, 4, true) + number_bytes(2, 4, true) + static_cast<char>(bits) +
                               static_cast<char>(colour) + std::string(3, '\0');
    return folder.write("a.png", "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) + chunks +
                                     png_chunk("IDAT", stored) + png_chunk("IEND", ""));
  };
  // Two bits a pixel: 0, 3 / 1, 2.
  EXPECT_EQ(read_fine(png(2, 0, "", std::string("\0\x30\0\x60", 4))).entries.value,
            (std::vector<double>{0, 1, 85 / 255.0, 170 / 255.0}));
  // A palette of two colours, the second one transparent.
  const std::string palette =
      png_chunk("PLTE", std::string("\xff\0\x33\0\0\0", 6)) + png_chunk("tRNS", std::string("\xff\0", 2));
  const TensorFile file = read_fine(png(8, 3, palette, std::string("\0\0\1\0\1\0", 6)));
  EXPECT_EQ(shape_of(file), (std::vector<Index>{2, 2, 3}));
  expect_same_values(file.entries.value, {1, 0, 0.2, kNaN, kNaN, kNaN, kNaN, kNaN, kNaN, 1, 0, 0.2});
}

TEST_F(Pictures, BmpBytesMeanWhatTheHeaderSays) {
  const auto read = [&](const std::string& bytes) {
    const TensorFile file = read_fine(folder.write("a.bmp", bytes));
    std::vector<double> stored = file.entries.value;
    for (double& v : stored) v = std::round(v * 255);
    return stored;
  };
  // Blue, green, red; rows padded to four bytes, the last one first.
  const std::string bottom = std::string("\3\2\1\6\5\4\0\0", 8);
  const std::string top = std::string("\x0d\x0c\x0b\x10\x0f\x0e\0\0", 8);
  const std::vector<double> expected = {11, 12, 13, 14, 15, 16, 1, 2, 3, 4, 5, 6};
  EXPECT_EQ(read(bmp(2, 2, 24, bottom + top)), expected);
  EXPECT_EQ(read(bmp(2, -2, 24, top + bottom)), expected);
  // The fourth byte means nothing without masks.
  EXPECT_EQ(read(bmp(1, 2, 32, std::string("\3\2\1\0\6\5\4\0", 8))), (std::vector<double>{4, 5, 6, 1, 2, 3}));

  std::string gray_palette;
  std::string palette;
  for (int c = 0; c < 256; ++c) {
    gray_palette += std::string(3, static_cast<char>(255 - c)) + '\0';
    palette += std::string{static_cast<char>(c), '\1', '\2', '\0'};
  }
  EXPECT_EQ(read(bmp(1, 2, 8, gray_palette + std::string("\5\0\0\0\7\0\0\0", 8), 0, 40, 54 + 1024)),
            (std::vector<double>{248, 250}));
  EXPECT_EQ(read(bmp(1, 1, 8, palette + std::string("\5\0\0\0", 4), 0, 40, 54 + 1024)),
            (std::vector<double>{2, 1, 5}));
}

TEST_F(Pictures, BmpAlphaCountsWhereMasksDeclareIt) {
  const std::string masks = number_bytes(0x00ff0000U, 4) + number_bytes(0x0000ff00U, 4) +
                            number_bytes(0x000000ffU, 4) + number_bytes(0xff000000U, 4);
  const std::string pixels = std::string("\0\0\xff\xff\6\5\4\0", 8);
  const TensorFile file = read_fine(folder.write("a.bmp", bmp(2, 1, 32, masks + pixels, 3, 56, 70)));
  expect_same_values(file.entries.value, {1, 0, 0, kNaN, kNaN, kNaN});
}

TEST_F(Pictures, MasksMayBePicturesOrArrays) {
  const std::string path = folder.path("a.png");
  write_fine(path, picture_tensor({2, 2, 3}, ramp(12), 255));
  ReadOptions options;
  options.mask = folder.path("mask.png");
  write_fine(options.mask, dense_tensor({2, 2}, {1, 0.4, 0.6, 0}));
  TensorFile file = read_fine(path, options);
  EXPECT_EQ(file.missing, 6);
  for (std::size_t i = 0; i < 12; ++i) {
    EXPECT_EQ(std::isnan(file.entries.value[i]), (i >= 3 && i < 6) || i >= 9) << i;
  }
  options.invert_mask = true;
  EXPECT_FALSE(std::isnan(read_fine(path, options).entries.value[3]));

  options.invert_mask = false;
  options.mask = folder.path("mask.npy");
  write_fine(options.mask, dense_tensor({2, 2, 3}, {1, 1, 1, 1, 0, 1, 1, 1, 1, 1, 1, 0.1}));
  file = read_fine(path, options);
  EXPECT_EQ(file.missing, 1);
  EXPECT_TRUE(std::isnan(file.entries.value[4]));

  write_fine(options.mask, dense_tensor({3, 2}, ramp(6)));
  EXPECT_EQ(read_error(path, options),
            "mask.npy: found a mask of 3 x 2, expected 2 x 2 or 2 x 2 x 3 as in a.png");
}

TEST_F(Pictures, ColourMasksServeGrayPictures) {
  write_fine(folder.path("a.png"), dense_tensor({1, 2}, {0.2, 0.6}));
  ReadOptions options;
  options.mask = folder.path("mask.png");
  write_fine(options.mask, dense_tensor({1, 2, 3}, {1, 1, 1, 0, 0, 1}));
  expect_same_values(read_fine(folder.path("a.png"), options).entries.value, {51 / 255.0, kNaN});
}

TEST_F(Pictures, MissingValueIsTheColourOfWholePixels) {
  write_fine(folder.path("a.png"), picture_tensor({1, 3, 3}, {0, 0, 0, 0, 128, 0, 128, 128, 128}, 255));
  ReadOptions options;
  options.missing_value = 0;
  const TensorFile file = read_fine(folder.path("a.png"), options);
  EXPECT_EQ(file.missing, 3);
  EXPECT_TRUE(std::isnan(file.entries.value[2]));
  EXPECT_EQ(file.entries.value[3], 0);
  options.missing_value = 0.502;
  EXPECT_TRUE(std::isnan(read_fine(folder.path("a.png"), options).entries.value[8]));
}

TEST_F(Pictures, ValuesAreRoundedAndClamped) {
  write_fine(folder.path("a.png"), dense_tensor({1, 4}, {-0.5, 0.0039, 0.999, 7}));
  const TensorFile file = read_fine(folder.path("a.png"));
  EXPECT_EQ(file.entries.value, (std::vector<double>{0, 1 / 255.0, 1, 1}));
  TensorFile bytes = dense_tensor({1, 3}, {0, 100, 300});  // an array of bytes, not of fractions
  bytes.layout.dtype = "|u1";
  write_fine(folder.path("b.png"), bytes);
  EXPECT_EQ(read_fine(folder.path("b.png")).entries.value, (std::vector<double>{0, 100 / 255.0, 1}));
  write_fine(folder.path("b.bmp"), picture_tensor({1, 2}, {0, 65535}, 65535));  // 16 bits into 8
  EXPECT_EQ(read_fine(folder.path("b.bmp")).entries.value, (std::vector<double>{0, 1}));
}

TEST_F(Pictures, WhatCannotBeWrittenLeavesNoFile) {
  const TensorFile hole = dense_tensor({1, 2}, {0, kNaN});
  EXPECT_EQ(write_error(folder.path("a.jpg"), hole),
            "a.jpg: pixel (0, 1) has no value, and only PNG pictures can leave pixels out");
  EXPECT_EQ(write_error(folder.path("a.bmp"), hole),
            "a.bmp: pixel (0, 1) has no value, and only PNG pictures can leave pixels out");
  EXPECT_EQ(
      write_error(folder.path("a.png"), dense_tensor({1, 1, 3}, {0, kNaN, 1})),
      "a.png: pixel (0, 0) lacks some of its channels, and a PNG picture can only leave out whole pixels");
  EXPECT_EQ(
      write_error(folder.path("a.png"), dense_tensor({1, 1, 4}, ramp(4))),
      "a.png: found a tensor of 1 x 1 x 4, expected row x column, or row x column x 1 or 3, for a picture");
  EXPECT_EQ(
      write_error(folder.path("a.jpg"), dense_tensor({1, 70000}, ramp(70000))),
      "a.jpg: the picture cannot be written as JPEG: Maximum supported image dimension is 65500 pixels");
  EXPECT_EQ(folder.files(), 0U);
}

TEST_F(Pictures, DamagedPicturesAreExplained) {
  const auto error = [&](const std::string& name, const std::string& bytes) {
    return read_error(folder.write(name, bytes));
  };
  const TensorFile file = picture_tensor({8, 8, 3}, ramp(192), 255);
  EXPECT_EQ(error("a.png", "hello"), "a.png: found no picture, expected PNG, JPEG or BMP");
  write_fine(folder.path("a.png"), file);
  const std::string png = folder.read("a.png");
  EXPECT_EQ(error("b.png", png.substr(0, png.size() - 20)),
            "b.png: found a PNG that cannot be read: the file ends early");
  std::string bad = png;
  bad[bad.find("IDAT") + 10] ^= 1;
  EXPECT_EQ(error("b.png", bad).substr(0, 36), "b.png: found a PNG that cannot be re");
  write_fine(folder.path("a.jpg"), file);
  const std::string jpeg = folder.read("a.jpg");
  EXPECT_EQ(error("b.jpg", jpeg.substr(0, jpeg.size() - 40)),
            "b.jpg: found a JPEG that cannot be read: Premature end of JPEG file");
  EXPECT_EQ(error("a.bmp", "BM"), "a.bmp: found the end of the file in the BMP header");
  EXPECT_EQ(error("a.bmp", bmp(2, 2, 24, "12345678")),
            "a.bmp: found the end of the file, expected 2 rows of 8 bytes from byte 54 on");
  EXPECT_EQ(error("a.bmp", bmp(2, 2, 4, "12345678")),
            "a.bmp: found a BMP of 4 bits with compression 0, expected 8, 24 or 32 bits without");
  EXPECT_EQ(error("a.bmp", bmp(0, 2, 24, "12345678")),
            "a.bmp: found a picture of 2 x 0 pixels, expected at least one");
}

// A small file may claim any size: it is refused before memory is asked for.
TEST_F(Pictures, BombsAreRefused) {
  const std::string header =
      number_bytes(60000, 4, true) + number_bytes(60000, 4, true) + "\x08\x02" + std::string(3, '\0');
  const std::string path = folder.write("a.png", "\x89PNG\r\n\x1a\n" + png_chunk("IHDR", header) +
                                                     png_chunk("IDAT", "") + png_chunk("IEND", ""));
  auto read = read_tensor(path);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kMemory);
  EXPECT_EQ(read.error().what, "found a picture of 60000 x 60000 x 3, more than 2^31 cells");

  write_fine(folder.path("a.jpg"), picture_tensor({8, 8, 3}, ramp(192), 255));
  std::string jpeg = folder.read("a.jpg");
  jpeg.replace(jpeg.find("\xff\xc0") + 5, 4,
               number_bytes(0xffdcffdcU, 4, true));  // both sizes 65500, the most libjpeg takes
  read = read_tensor(folder.write("b.jpg", jpeg));
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().kind, ErrorKind::kMemory) << read.error().what;
}

TEST_F(Pictures, DamageIsSurvived) {
  const TensorFile file = picture_tensor({8, 9, 3}, ramp(216), 255);
  for (const std::string name : {"a.png", "a.jpg", "a.bmp"}) {
    write_fine(folder.path(name), file);
    survive_damage(name);
  }
  write_fine(folder.path("gray.bmp"), picture_tensor({8, 9}, ramp(72), 255));
  survive_damage("gray.bmp");
}

}  // namespace
}  // namespace lacuna
