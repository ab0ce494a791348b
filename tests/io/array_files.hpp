// SPDX-License-Identifier: MIT
// Arrays and their files for tests: tensors of given cells, .npy bytes written by hand, damaged copies.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <functional>
#include <lacuna/io/files.hpp>
#include <limits>
#include <string>
#include <vector>

#include "text_files.hpp"

namespace lacuna::array_test {

using text_test::positions;
using text_test::TempFolder;

inline constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// `count` bytes of `number`.
inline std::string number_bytes(std::uint64_t number, int count, bool big_endian = false) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    const int shift = 8 * (big_endian ? count - 1 - i : i);
    out.push_back(static_cast<char>(shift < 64 ? (number >> shift) & 0xffU : 0U));
  }
  return out;
}

inline std::string npy_text(const std::string& header, const std::string& numbers, int version = 1) {
  return "\x93NUMPY" + number_bytes(static_cast<std::uint64_t>(version), 2) +
         number_bytes(header.size(), version == 1 ? 2 : 4) + header + numbers;
}

inline std::string npy_bytes(const std::string& dtype, bool fortran, const std::string& shape,
                             const std::string& numbers, int version = 1) {
  return npy_text("{'descr': '" + dtype + "', 'fortran_order': " + (fortran ? "True" : "False") +
                      ", 'shape': " + shape + ", }   \n",
                  numbers, version);
}

// Bit by bit, to check the library's checksums against something slower and simpler.
inline std::uint32_t crc32(const std::string& bytes) {
  std::uint32_t crc = 0xffffffffU;
  for (const char c : bytes) {
    crc ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1U) ^ ((crc & 1U) != 0 ? 0xedb88320U : 0U);
  }
  return ~crc;
}

// All cells, last mode fastest.
inline TensorFile dense_tensor(const std::vector<Index>& shape, const std::vector<double>& value) {
  TensorFile file;
  file.dense = true;
  file.index_base = 0;
  file.entries.value = value;
  std::size_t inner = value.size();
  std::vector<std::vector<Index>> positions(shape.size());
  for (std::size_t k = 0; k < shape.size(); ++k) {
    file.modes.push_back({.name = "mode" + std::to_string(k + 1), .size = shape[k], .labels = {}});
    inner /= shape[k];
    for (std::size_t e = 0; e < value.size(); ++e)
      positions[k].push_back(static_cast<Index>(e / inner % shape[k]));
  }
  file.entries.cells = std::move(positions);
  return file;
}

// Cells {i, j, ...} with values.
inline TensorFile sparse_tensor(const std::vector<Index>& shape, const std::vector<std::vector<Index>>& cells,
                                const std::vector<double>& value) {
  TensorFile file;
  file.entries.value = value;
  for (std::size_t k = 0; k < shape.size(); ++k) {
    file.modes.push_back({.name = "mode" + std::to_string(k + 1), .size = shape[k], .labels = {}});
  }
  file.entries.cells = Cells(static_cast<int>(shape.size()));
  for (const std::vector<Index>& cell : cells) file.entries.cells.add(cell);
  return file;
}

// 0, 1, 2, ...
inline std::vector<double> ramp(std::size_t count, double step = 1) {
  std::vector<double> out(count);
  for (std::size_t i = 0; i < count; ++i) out[i] = static_cast<double>(i) * step;
  return out;
}

inline std::vector<Index> shape_of(const TensorFile& file) {
  std::vector<Index> shape;
  for (const Mode& mode : file.modes) shape.push_back(mode.size);
  return shape;
}

// Equal where NaN equals NaN.
inline void expect_same_values(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (std::isnan(expected[i])) {
      EXPECT_TRUE(std::isnan(found[i])) << i;
    } else {
      EXPECT_EQ(found[i], expected[i]) << i;
    }
  }
}

class ArrayFiles : public testing::Test {
 protected:
  TensorFile read_fine(const std::string& path, const ReadOptions& options = {}) {
    auto file = read_tensor(path, options);
    EXPECT_TRUE(file.ok()) << (file.ok() ? "" : file.error().message());
    return file.ok() ? *file : TensorFile{};
  }
  // What is wrong with it, without the folder.
  std::string read_error(const std::string& path, const ReadOptions& options = {}) {
    const auto file = read_tensor(path, options);
    return file.ok() ? "no error" : without_folder(file.error().message());
  }
  std::string write_error(const std::string& path, const TensorFile& file) {
    const auto written = write_tensor(path, file);
    return written.ok() ? "no error" : without_folder(written.error().message());
  }
  std::string without_folder(std::string text) {
    const std::string prefix = folder.path("");
    for (std::size_t at = text.find(prefix); at != std::string::npos; at = text.find(prefix)) {
      text.erase(at, prefix.size());
    }
    return text;
  }
  void write_fine(const std::string& path, const TensorFile& file) {
    const auto written = write_tensor(path, file);
    EXPECT_TRUE(written.ok()) << (written.ok() ? "" : written.error().message());
  }
  // Reads many damaged copies of a file. There is nothing to expect but that it comes back.
  void survive_damage(const std::string& name, const ReadOptions& options = {}, int rounds = 100) {
    const std::string whole = folder.read(name);
    std::uint64_t state = 0x9e3779b97f4a7c15ULL;
    const auto random = [&state](std::uint64_t below) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      return (state >> 33U) % below;
    };
    for (int round = 0; round < rounds; ++round) {
      std::string copy = whole;
      for (std::uint64_t changes = 1 + random(4); changes > 0; --changes) {
        copy[random(copy.size())] = static_cast<char>(random(256));
      }
      if (random(8) == 0) copy.resize(random(copy.size()));
      const auto file = read_tensor(folder.write("damaged_" + name, copy), options);
      if (file.ok()) {
        EXPECT_GE(file->modes.size(), 2U);
      }
    }
  }

  TempFolder folder;
};

}  // namespace lacuna::array_test
