// SPDX-License-Identifier: MIT
// PNG pictures, through libpng. Its errors come back by longjmp, so the functions that call setjmp own
// nothing that would need destroying: all memory belongs to the structures handed to them.
#include "io/picture/picture_png.hpp"

#include <fmt/format.h>
#include <png.h>

#include <algorithm>
#include <array>
#include <bit>
#include <csetjmp>
#include <cstring>
#include <new>

#include "io/file/inflate.hpp"

namespace lacuna::io {
namespace {

constexpr std::size_t kMessage = 160;

void keep_message(std::array<char, kMessage>& out, const char* message) {
  std::strncpy(out.data(), message != nullptr ? message : "unknown", out.size() - 1);
}

struct PngReader {
  const Bytes& bytes;
  std::size_t position = 0;
  std::array<char, kMessage> message{};
  png_structp png = nullptr;
  png_infop info = nullptr;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  unsigned depth = 8;
  unsigned samples = 1;              // for each pixel, alpha included
  unsigned channels = 1;             // for each pixel, without alpha
  std::size_t stored_row_bytes = 0;  // unpacked, but palettes and few bits as they are
  std::size_t row_bytes = 0;
  Bytes raw{};
  std::vector<png_bytep> row{};

  explicit PngReader(const Bytes& source) : bytes(source) {}
  PngReader(const PngReader&) = delete;
  PngReader& operator=(const PngReader&) = delete;
  ~PngReader() { png_destroy_read_struct(&png, &info, nullptr); }
};

void reader_error(png_structp png, png_const_charp message) {
  keep_message(static_cast<PngReader*>(png_get_error_ptr(png))->message, message);
  png_longjmp(png, 1);
}

void say_nothing(png_structp /*png*/, png_const_charp /*message*/) {}

void take_bytes(png_structp png, png_bytep out, std::size_t count) {
  auto& reader = *static_cast<PngReader*>(png_get_io_ptr(png));
  if (count > reader.bytes.size() - reader.position) png_error(png, "the file ends early");
  std::memcpy(out, reader.bytes.data() + reader.position, count);
  reader.position += count;
}

// What the header says, before anything is made of it.
bool read_header(PngReader& reader) {
  reader.png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &reader, reader_error, say_nothing);
  if (reader.png == nullptr) return false;
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  reader.info = png_create_info_struct(reader.png);
  if (reader.info == nullptr) return false;
  png_set_read_fn(reader.png, &reader, take_bytes);
  png_set_user_limits(reader.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);  // sizes are checked by the caller
  png_read_info(reader.png, reader.info);
  reader.rows = png_get_image_height(reader.png, reader.info);
  reader.columns = png_get_image_width(reader.png, reader.info);
  reader.channels = (png_get_color_type(reader.png, reader.info) & PNG_COLOR_MASK_COLOR) != 0 ? 3 : 1;
  reader.stored_row_bytes = png_get_rowbytes(reader.png, reader.info);
  return true;
}

// The transformations that leave gray or RGB of 8 or 16 bits, maybe with alpha. libpng takes memory for rows
// here.
bool start_reading(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_set_expand(reader.png);  // palettes to RGB, few bits to 8, a transparent colour to alpha
  if (std::endian::native == std::endian::little) png_set_swap(reader.png);
  (void)png_set_interlace_handling(reader.png);
  png_read_update_info(reader.png, reader.info);
  reader.depth = png_get_bit_depth(reader.png, reader.info);
  reader.samples = png_get_channels(reader.png, reader.info);
  reader.row_bytes = png_get_rowbytes(reader.png, reader.info);
  return true;
}

bool read_pixels(PngReader& reader) {
  if (setjmp(png_jmpbuf(reader.png)) != 0) return false;
  png_read_image(reader.png, reader.row.data());
  png_read_end(reader.png, nullptr);
  return true;
}

// Raw rows -> samples without alpha, and which pixels are wholly transparent.
void split_alpha(const PngReader& reader, Picture& picture) {
  const bool wide = reader.depth == 16;
  const bool alpha = reader.samples != picture.channels;
  picture.samples.resize(picture.pixels() * picture.channels);
  std::uint16_t* out = picture.samples.data();
  const unsigned char* in = reader.raw.data();
  const auto next = [&] {
    std::uint16_t sample = *in;
    if (wide) std::memcpy(&sample, in, sizeof sample);
    in += wide ? 2 : 1;
    return sample;
  };
  for (std::size_t pixel = 0; pixel < picture.pixels(); ++pixel) {
    for (unsigned channel = 0; channel < picture.channels; ++channel) *out++ = next();
    if (!alpha || next() != 0) continue;
    picture.missing.resize(picture.pixels(), false);
    picture.missing[pixel] = true;
  }
}

struct PngWriter {
  const Picture& picture;
  Bytes out{};
  std::array<char, kMessage> message{};
  png_structp png = nullptr;
  png_infop info = nullptr;
  Bytes row{};

  explicit PngWriter(const Picture& source) : picture(source) {}
  PngWriter(const PngWriter&) = delete;
  PngWriter& operator=(const PngWriter&) = delete;
  ~PngWriter() { png_destroy_write_struct(&png, &info); }
};

void writer_error(png_structp png, png_const_charp message) {
  keep_message(static_cast<PngWriter*>(png_get_error_ptr(png))->message, message);
  png_longjmp(png, 1);
}

void put_bytes(png_structp png, png_bytep data, std::size_t count) {
  auto& writer = *static_cast<PngWriter*>(png_get_io_ptr(png));
  bool full = false;
  try {
    writer.out.insert(writer.out.end(), data, data + count);
  } catch (const std::bad_alloc&) {
    full = true;  // no exception may pass through libpng
  }
  if (full) png_error(png, "no memory is left");
}

void nothing_to_flush(png_structp /*png*/) {}

// PNG is big-endian.
void fill_row(PngWriter& writer, std::uint32_t r) {
  const Picture& picture = writer.picture;
  const bool wide = picture.largest > 255;
  unsigned char* out = writer.row.data();
  const auto put = [&](unsigned sample) {
    if (wide) *out++ = static_cast<unsigned char>(sample >> 8U);
    *out++ = static_cast<unsigned char>(sample & 0xffU);
  };
  for (std::uint32_t c = 0; c < picture.columns; ++c) {
    const std::size_t pixel = std::size_t{r} * picture.columns + c;
    for (unsigned channel = 0; channel < picture.channels; ++channel) {
      put(picture.samples[pixel * picture.channels + channel]);
    }
    if (!picture.missing.empty()) put(picture.missing[pixel] ? 0 : picture.largest);
  }
}

bool write_pixels(PngWriter& writer) {
  const Picture& picture = writer.picture;
  writer.png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &writer, writer_error, say_nothing);
  if (writer.png == nullptr) return false;
  if (setjmp(png_jmpbuf(writer.png)) != 0) return false;
  writer.info = png_create_info_struct(writer.png);
  if (writer.info == nullptr) return false;
  png_set_write_fn(writer.png, &writer, put_bytes, nothing_to_flush);
  png_set_user_limits(writer.png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  const int alpha = picture.missing.empty() ? 0 : PNG_COLOR_MASK_ALPHA;
  png_set_IHDR(writer.png, writer.info, picture.columns, picture.rows, picture.largest > 255 ? 16 : 8,
               (picture.channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB) | alpha, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(writer.png, writer.info);
  for (std::uint32_t r = 0; r < picture.rows; ++r) {
    fill_row(writer, r);
    png_write_row(writer.png, writer.row.data());
  }
  png_write_end(writer.png, nullptr);
  return true;
}

}  // namespace

Result<Picture> decode_png(const std::string& path, const Bytes& bytes) {
  PngReader reader(bytes);
  const auto failure = [&] {
    return input_error(path, fmt::format("found a PNG that cannot be read: {}", reader.message.data()));
  };
  if (!read_header(reader)) return failure();
  Picture picture;
  picture.rows = reader.rows;
  picture.columns = reader.columns;
  picture.channels = reader.channels;
  if (auto fine = check_picture_size(path, picture.rows, picture.columns, picture.channels); !fine)
    return fine.error();
  // The rows are deflated, so a few bytes cannot hold a large picture.
  if (reader.stored_row_bytes > bytes.size() * kDeflateRatio / reader.rows)
    return too_few_bytes(path, bytes.size(), reader.rows, reader.columns);
  if (!start_reading(reader)) return failure();
  picture.largest = reader.depth == 16 ? 65535 : 255;
  reader.raw.resize(reader.row_bytes * reader.rows);
  reader.row.resize(reader.rows);
  for (std::size_t r = 0; r < reader.rows; ++r) reader.row[r] = reader.raw.data() + r * reader.row_bytes;
  if (!read_pixels(reader)) return failure();
  split_alpha(reader, picture);
  return picture;
}

Result<Bytes> encode_png(const std::string& path, const Picture& picture) {
  PngWriter writer(picture);
  const std::size_t samples = picture.channels + (picture.missing.empty() ? 0U : 1U);
  writer.row.resize(std::size_t{picture.columns} * samples * (picture.largest > 255 ? 2 : 1));
  if (!write_pixels(writer)) {
    return output_error(path, fmt::format("the picture cannot be written as PNG: {}", writer.message.data()));
  }
  return std::move(writer.out);
}

}  // namespace lacuna::io
