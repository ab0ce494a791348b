// SPDX-License-Identifier: MIT
// Pictures as tensors: row x column, or row x column x channel. Stored numbers become 0..1.
#include "io/picture/picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>

#include "io/array/dense.hpp"
#include "io/file/atomic_file.hpp"
#include "io/file/standard_streams.hpp"
#include "io/picture/picture_bmp.hpp"
#include "io/picture/picture_jpeg.hpp"
#include "io/picture/picture_png.hpp"

namespace lacuna::io {
namespace {

constexpr std::uint64_t kMostCells = std::uint64_t{1} << 31;
constexpr double kLargest8 = 255;
constexpr double kLargest16 = 65535;

Result<Picture> decode(const std::string& path, const Bytes& bytes) {
  switch (picture_kind(bytes)) {
    case PictureKind::kPng:
      return decode_png(path, bytes);
    case PictureKind::kJpeg:
      return decode_jpeg(path, bytes);
    case PictureKind::kBmp:
      return decode_bmp(path, bytes);
    case PictureKind::kNone:
      break;
  }
  return input_error(path, "found no picture, expected PNG, JPEG or BMP");
}

std::vector<double> to_values(const Picture& picture) {
  std::vector<double> value(picture.samples.size());
  const double largest = picture.largest;
  for (std::size_t i = 0; i < value.size(); ++i) value[i] = picture.samples[i] / largest;
  for (std::size_t pixel = 0; pixel < picture.missing.size(); ++pixel) {
    if (!picture.missing[pixel]) continue;
    std::fill_n(value.begin() + static_cast<std::ptrdiff_t>(pixel * picture.channels), picture.channels,
                std::numeric_limits<double>::quiet_NaN());
  }
  return value;
}

bool is_16_bit(const DenseLayout& layout) {
  const auto dtype = parse_dtype(layout.dtype);
  return dtype && dtype->kind == 'u' && dtype->size == 2;
}

bool is_gray(const std::vector<Index>& shape) {
  return shape.size() == 2 || (shape.size() == 3 && shape[2] == 1);
}

Result<Picture> to_picture(const std::string& path, const TensorFile& file, PictureKind kind) {
  if (auto fits = check_picture_shape(path, file); !fits) return fits.error();
  const std::vector<Index> shape = shape_of(file);
  const bool gray = is_gray(shape);
  const auto cells = dense_cells(path, file);
  if (!cells) return cells.error();
  Picture picture;
  picture.rows = shape[0];
  picture.columns = shape[1];
  picture.channels = gray ? 1 : 3;
  picture.largest = kind == PictureKind::kPng && is_16_bit(file.layout) ? 65535 : 255;
  picture.samples.resize(cells->size());
  const double full = full_brightness(file.layout);
  const double largest = picture.largest;
  for (std::size_t pixel = 0; pixel < picture.pixels(); ++pixel) {
    const double* const colour = cells->data() + pixel * picture.channels;
    const auto blank =
        std::count_if(colour, colour + picture.channels, [](double v) { return std::isnan(v); });
    const auto cell = [&] { return cell_text({shape[0], shape[1]}, pixel, file.index_base); };
    if (blank > 0 && kind != PictureKind::kPng) {
      return output_error(
          path, fmt::format("pixel {} has no value, and only PNG pictures can leave pixels out", cell()));
    }
    if (blank > 0 && blank < static_cast<std::ptrdiff_t>(picture.channels)) {
      return output_error(
          path, fmt::format("pixel {} lacks some of its channels, and a PNG picture can only leave out "
                            "whole pixels",
                            cell()));
    }
    if (blank > 0) {
      picture.missing.resize(picture.pixels(), false);
      picture.missing[pixel] = true;
      continue;
    }
    for (std::size_t c = 0; c < picture.channels; ++c) {
      picture.samples[pixel * picture.channels + c] =
          static_cast<std::uint16_t>(std::round(std::clamp(colour[c] / full, 0.0, 1.0) * largest));
    }
  }
  return picture;
}

}  // namespace

// What a stored number of the array's type stands for at full brightness: an array of bytes (scale 1) goes up
// to 255, a picture (scale 255) and an array of fractions up to 1.
double full_brightness(const DenseLayout& layout) {
  const auto dtype = parse_dtype(layout.dtype);
  if (!dtype || dtype->kind != 'u' || dtype->size > 2) return 1;
  return (dtype->size == 1 ? kLargest8 : kLargest16) / layout.scale;
}

PictureKind picture_kind(const Bytes& bytes) {
  const auto starts = [&](std::initializer_list<unsigned char> mark) {
    return bytes.size() >= mark.size() && std::equal(mark.begin(), mark.end(), bytes.begin());
  };
  if (starts({0x89, 'P', 'N', 'G'})) return PictureKind::kPng;
  if (starts({0xff, 0xd8, 0xff})) return PictureKind::kJpeg;
  if (starts({'B', 'M'})) return PictureKind::kBmp;
  return PictureKind::kNone;
}

PictureKind picture_kind_by_name(const std::string& path) {
  const std::size_t dot = path.rfind('.');
  std::string ending = dot == std::string::npos ? std::string() : path.substr(dot + 1);
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == "png") return PictureKind::kPng;
  if (ending == "jpg" || ending == "jpeg" || ending == "jpe") return PictureKind::kJpeg;
  return ending == "bmp" || ending == "dib" ? PictureKind::kBmp : PictureKind::kNone;
}

Result<> check_picture_size(const std::string& path, std::uint64_t rows, std::uint64_t columns,
                            unsigned channels) {
  const std::vector<std::uint64_t> shape = {rows, columns, channels};
  if (rows == 0 || columns == 0) {
    return input_error(
        path, fmt::format("found a picture of {} x {} pixels, expected at least one", rows, columns));
  }
  if (rows > kMostCells || columns > kMostCells || rows * columns > kMostCells / channels) {
    return memory_error(path, fmt::format("found a picture of {}, more than 2^31 cells", shape_text(shape)));
  }
  return check_memory(path, rows * columns * channels, sizeof(double) + 3 * sizeof(Index));
}

Error too_few_bytes(const std::string& path, std::uint64_t bytes, std::uint64_t rows, std::uint64_t columns) {
  return input_error(
      path, fmt::format("found {} bytes, too few for a picture of {} x {} pixels", bytes, rows, columns));
}

Result<TensorFile> read_picture(const std::string& path, const ReadOptions& options) {
  DenseArray array;
  {
    const auto file = ByteFile::open(path);
    if (!file) return file.error();
    const auto bytes = file->bytes(0, file->size());
    if (!bytes) return bytes.error();
    const auto picture = decode(path, *bytes);
    if (!picture) return picture.error();
    array.shape = {picture->rows, picture->columns};
    if (picture->channels == 3) array.shape.push_back(3);
    array.value = to_values(*picture);
    array.group = picture->channels;
    array.layout.scale = picture->largest;
    array.layout.dtype = picture->largest == 255 ? "|u1" : "<u2";
  }
  array.format = Format::kPicture;
  array.mode_names = {"row", "column", "channel"};
  array.in_order = {0, 1};
  array.tolerance = 0.5 / array.layout.scale;  // 0.502 finds the pixels stored as 128
  return dense_file(path, std::move(array), options);
}

Result<> check_picture_shape(const std::string& path, const TensorFile& file) {
  const std::vector<Index> shape = shape_of(file);
  if (is_gray(shape) || (shape.size() == 3 && shape[2] == 3)) return Nothing{};
  return output_error(
      path, fmt::format("found a tensor of {}, expected row x column, or row x column x 1 or 3, for a "
                        "picture",
                        shape_text(shape)));
}

Result<> write_picture(const std::string& path, const TensorFile& file) {
  const PictureKind kind = is_standard_stream(path) ? PictureKind::kPng : picture_kind_by_name(path);
  if (kind == PictureKind::kNone)
    return output_error(path, "expected a name that ends in .png, .jpg, .jpeg or .bmp");
  const auto picture = to_picture(path, file, kind);
  if (!picture) return picture.error();
  const auto bytes = kind == PictureKind::kPng    ? encode_png(path, *picture)
                     : kind == PictureKind::kJpeg ? encode_jpeg(path, *picture)
                                                  : encode_bmp(path, *picture);
  if (!bytes) return bytes.error();
  auto out = AtomicFile::create(path);
  if (!out) return out.error();
  out->write(bytes->data(), bytes->size());
  return out->commit();
}

}  // namespace lacuna::io
