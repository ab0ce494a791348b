// SPDX-License-Identifier: MIT
// BMP pictures: uncompressed, 8 bits with a palette, 24 or 32 bits, rows from the bottom up or from the top
// down.
#include "io/picture/picture_bmp.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

namespace lacuna::io {
namespace {

constexpr std::size_t kFileHeader = 14;
constexpr std::size_t kInfoHeader = 40;
constexpr std::size_t kMasks = 54;  // where BITFIELDS keeps the colour masks, in all header versions
constexpr std::uint32_t kPlain = 0;
constexpr std::uint32_t kBitFields = 3;
constexpr std::uint32_t kMostColours = 256;

struct BmpHeader {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  bool bottom_up = true;
  unsigned bits = 24;
  bool has_alpha = false;
  std::uint64_t pixels = 0;        // where they start
  std::uint64_t row_bytes = 0;     // padded to 4
  std::size_t palette = 0;         // where it starts
  std::uint32_t palette_size = 0;  // colours
};

// 32-bit pixels may say where their colours are; only the usual order (blue first) is understood.
bool usual_masks(const Bytes& bytes) {
  return load_u32(bytes.data() + kMasks) == 0x00ff0000 && load_u32(bytes.data() + kMasks + 4) == 0x0000ff00 &&
         load_u32(bytes.data() + kMasks + 8) == 0x000000ff;
}

Result<BmpHeader> parse_header(const std::string& path, const Bytes& bytes) {
  if (bytes.size() < kFileHeader + kInfoHeader)
    return input_error(path, "found the end of the file in the BMP header");
  const unsigned char* const p = bytes.data();
  BmpHeader header;
  const std::uint32_t info = load_u32(p + 14);
  if (info < kInfoHeader || info > bytes.size() - kFileHeader) {
    return input_error(path, fmt::format("found a BMP header of {} bytes, expected 40 to {}", info,
                                         bytes.size() - kFileHeader));
  }
  const auto width = static_cast<std::int32_t>(load_u32(p + 18));
  const std::int64_t height = static_cast<std::int32_t>(load_u32(p + 22));
  header.bits = load_u16(p + 28);
  const std::uint32_t packing = load_u32(p + 30);
  const bool fields = packing == kBitFields && header.bits == 32;
  if ((header.bits != 8 && header.bits != 24 && header.bits != 32) || (packing != kPlain && !fields)) {
    return input_error(
        path, fmt::format("found a BMP of {} bits with compression {}, expected 8, 24 or 32 bits without",
                          header.bits, packing));
  }
  if (width <= 0 || height == 0) {
    return input_error(
        path, fmt::format("found a picture of {} x {} pixels, expected at least one", height, width));
  }
  header.columns = static_cast<std::uint32_t>(width);
  header.rows = static_cast<std::uint32_t>(std::llabs(height));
  header.bottom_up = height > 0;
  if (fields) {
    if (bytes.size() < kMasks + 16) return input_error(path, "found the end of the file in the BMP header");
    if (!usual_masks(bytes))
      return input_error(path, "found an unusual order of colours, expected blue, green, red");
    header.has_alpha = info >= 56 && load_u32(p + kMasks + 12) == 0xff000000;
  }
  header.pixels = load_u32(p + 10);
  header.row_bytes = (std::uint64_t{header.columns} * header.bits + 31) / 32 * 4;
  if (header.bits == 8) {
    header.palette = kFileHeader + info;
    const std::uint32_t used = load_u32(p + 46);
    header.palette_size = used == 0 ? kMostColours : used;
    if (header.palette_size > kMostColours ||
        std::size_t{4} * header.palette_size > bytes.size() - header.palette) {
      return input_error(path,
                         fmt::format("found a palette of {} colours, expected at most 256 and all of them",
                                     header.palette_size));
    }
  }
  return header;
}

bool is_gray(const BmpHeader& header, const Bytes& bytes) {
  for (std::uint32_t c = 0; c < header.palette_size; ++c) {
    const unsigned char* const colour = bytes.data() + header.palette + std::size_t{4} * c;
    if (colour[0] != colour[1] || colour[1] != colour[2]) return false;
  }
  return true;
}

// One row of samples. False: a colour outside the palette.
bool take_row(const BmpHeader& header, const Bytes& bytes, const unsigned char* row, unsigned channels,
              std::uint16_t* out) {
  for (std::uint32_t c = 0; c < header.columns; ++c) {
    const unsigned char* colour = row + std::size_t{c} * header.bits / 8;
    if (header.bits == 8) {
      if (*colour >= header.palette_size) return false;
      colour = bytes.data() + header.palette + 4 * std::size_t{*colour};
    }
    for (unsigned channel = 0; channel < channels; ++channel) *out++ = colour[channels - 1 - channel];
  }
  return true;
}

}  // namespace

Result<Picture> decode_bmp(const std::string& path, const Bytes& bytes) {
  const auto header = parse_header(path, bytes);
  if (!header) return header.error();
  Picture picture;
  picture.rows = header->rows;
  picture.columns = header->columns;
  picture.channels = header->bits == 8 && is_gray(*header, bytes) ? 1 : 3;
  if (header->pixels > bytes.size() || header->row_bytes > (bytes.size() - header->pixels) / header->rows) {
    return input_error(path,
                       fmt::format("found the end of the file, expected {} rows of {} bytes from byte {} on",
                                   header->rows, header->row_bytes, header->pixels));
  }
  if (auto fine = check_picture_size(path, picture.rows, picture.columns, picture.channels); !fine)
    return fine.error();
  picture.samples.resize(picture.pixels() * picture.channels);
  if (header->has_alpha) picture.missing.resize(picture.pixels(), false);
  for (std::uint32_t r = 0; r < picture.rows; ++r) {
    const std::uint64_t stored = header->bottom_up ? picture.rows - 1 - r : r;
    const unsigned char* const row = bytes.data() + header->pixels + stored * header->row_bytes;
    const std::size_t first = std::size_t{r} * picture.columns;
    if (!take_row(*header, bytes, row, picture.channels, picture.samples.data() + first * picture.channels)) {
      return input_error(path, fmt::format("found a colour outside the palette in row {}", r + 1));
    }
    for (std::uint32_t c = 0; header->has_alpha && c < picture.columns; ++c) {
      picture.missing[first + c] = row[std::size_t{c} * 4 + 3] == 0;
    }
  }
  return picture;
}

Result<Bytes> encode_bmp(const std::string& path, const Picture& picture) {
  const bool gray = picture.channels == 1;
  const std::uint64_t row_bytes = (std::uint64_t{picture.columns} * picture.channels + 3) / 4 * 4;
  const std::size_t palette = gray ? 4 * kMostColours : 0;
  const std::uint64_t start = kFileHeader + kInfoHeader + palette;
  const std::uint64_t size = start + row_bytes * picture.rows;
  if (size > 0x7fffffff)
    return output_error(path, fmt::format("{} bytes are more than a BMP can hold", size));
  Bytes out = {'B', 'M'};
  out.reserve(static_cast<std::size_t>(size));
  append_number(out, size, 4);
  append_number(out, 0, 4);
  append_number(out, start, 4);
  append_number(out, kInfoHeader, 4);
  append_number(out, picture.columns, 4);
  append_number(out, picture.rows, 4);
  append_number(out, 1, 2);  // planes
  append_number(out, gray ? 8 : 24, 2);
  append_number(out, kPlain, 4);
  append_number(out, row_bytes * picture.rows, 4);
  append_number(out, 2835, 4);  // pixels per metre: 72 per inch
  append_number(out, 2835, 4);
  append_number(out, gray ? kMostColours : 0, 4);
  append_number(out, 0, 4);
  for (std::uint32_t c = 0; gray && c < kMostColours; ++c) append_number(out, c * std::uint64_t{0x010101}, 4);
  for (std::uint32_t r = picture.rows; r-- > 0;) {
    const std::size_t end = out.size() + static_cast<std::size_t>(row_bytes);
    const std::uint16_t* sample =
        picture.samples.data() + std::size_t{r} * picture.columns * picture.channels;
    for (std::uint32_t c = 0; c < picture.columns; ++c, sample += picture.channels) {
      for (unsigned channel = picture.channels; channel-- > 0;) {
        out.push_back(static_cast<unsigned char>(sample[channel]));
      }
    }
    out.resize(end, 0);
  }
  return out;
}

}  // namespace lacuna::io
