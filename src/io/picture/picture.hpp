// SPDX-License-Identifier: MIT
// A picture between a file and a tensor.
#pragma once

#include <cstdint>
#include <lacuna/io/files.hpp>
#include <string>
#include <vector>

#include "io/file/byte_file.hpp"

namespace lacuna::io {

struct Picture {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  unsigned channels = 1;               // 1: gray, 3: red, green, blue
  unsigned largest = 255;              // sample: 255, or 65535 (PNG only)
  std::vector<std::uint16_t> samples;  // row by row, the channels of a pixel together
  std::vector<bool> missing;           // for each pixel: transparent; empty when none is

  [[nodiscard]] std::size_t pixels() const { return std::size_t{rows} * columns; }
};

enum class PictureKind { kNone, kPng, kJpeg, kBmp };
[[nodiscard]] PictureKind picture_kind(const Bytes& bytes);
[[nodiscard]] PictureKind picture_kind_by_name(const std::string& path);

// Whether a picture of this size can be read at all. Asked before anything is allocated: a file of a few
// bytes can claim any size.
Result<> check_picture_size(const std::string& path, std::uint64_t rows, std::uint64_t columns,
                            unsigned channels);
[[nodiscard]] Error too_few_bytes(const std::string& path, std::uint64_t bytes, std::uint64_t rows,
                                  std::uint64_t columns);

// What a number of an array stands for at full brightness: a picture and an array of fractions (1), an array of bytes
// (255).
[[nodiscard]] double full_brightness(const DenseLayout& layout);

Result<TensorFile> read_picture(const std::string& path, const ReadOptions& options);
Result<> write_picture(const std::string& path, const TensorFile& file);
// kOutput unless a picture can have this file's shape.
Result<> check_picture_shape(const std::string& path, const TensorFile& file);

}  // namespace lacuna::io
