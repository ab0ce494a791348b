// SPDX-License-Identifier: MIT
// JPEG pictures, through libjpeg. Its errors come back by longjmp, so the functions that call setjmp own
// nothing that would need destroying: all memory belongs to the structures handed to them.
#include "io/picture/picture_jpeg.hpp"

#include <fmt/format.h>
#include <jpeglib.h>

#include <array>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
// after jpeglib.h
#include <jerror.h>

namespace lacuna::io {
namespace {

constexpr int kQuality = 95;
constexpr int kMostScans = 500;  // more only serve to keep the decoder busy

// Both directions fail the same way.
struct Failure {
  jpeg_error_mgr manager{};
  std::jmp_buf back{};
  std::array<char, JMSG_LENGTH_MAX> message{};
};

[[noreturn]] void give_up(j_common_ptr jpeg) {
  auto* const failure = reinterpret_cast<Failure*>(jpeg->err);  // `manager` is its first member
  jpeg->err->format_message(jpeg, failure->message.data());
  std::longjmp(failure->back, 1);
}

// libjpeg goes on after damage and makes up the rest of the picture; here that is an error. Odd bytes between
// segments are harmless.
void on_message(j_common_ptr jpeg, int level) {
  if (level < 0 && jpeg->err->msg_code != JWRN_EXTRANEOUS_DATA && jpeg->err->msg_code != JWRN_ADOBE_XFORM)
    give_up(jpeg);
}

void say_nothing(j_common_ptr /*jpeg*/) {}

jpeg_error_mgr* prepare(Failure& failure) {
  jpeg_error_mgr* const manager = jpeg_std_error(&failure.manager);
  manager->error_exit = give_up;
  manager->emit_message = on_message;
  manager->output_message = say_nothing;
  return manager;
}

struct JpegReader {
  Failure failure{};
  jpeg_decompress_struct jpeg{};
  jpeg_progress_mgr progress{};
  const Bytes& bytes;
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  unsigned channels = 1;
  bool four_inks = false;
  Bytes row{};
  Picture picture{};

  explicit JpegReader(const Bytes& source) : bytes(source) {}
  JpegReader(const JpegReader&) = delete;
  JpegReader& operator=(const JpegReader&) = delete;
  ~JpegReader() { jpeg_destroy_decompress(&jpeg); }
};

void limit_scans(j_common_ptr jpeg) {
  const auto* const reader = reinterpret_cast<j_decompress_ptr>(jpeg);
  if (jpeg->is_decompressor && reader->input_scan_number > kMostScans) {
    jpeg->err->msg_code = JERR_BAD_PROGRESSION;
    give_up(jpeg);
  }
}

bool read_header(JpegReader& reader) {
  jpeg_decompress_struct& jpeg = reader.jpeg;
  jpeg.err = prepare(reader.failure);
  if (setjmp(reader.failure.back) != 0) return false;
  jpeg_create_decompress(&jpeg);
  reader.progress.progress_monitor = limit_scans;
  jpeg.progress = &reader.progress;
  jpeg_mem_src(&jpeg, reader.bytes.data(), static_cast<unsigned long>(reader.bytes.size()));
  (void)jpeg_read_header(&jpeg, TRUE);
  reader.four_inks = jpeg.num_components == 4;
  reader.channels = jpeg.num_components == 1 ? 1 : 3;
  jpeg.out_color_space = reader.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  reader.rows = jpeg.image_height;
  reader.columns = jpeg.image_width;
  return true;
}

bool read_pixels(JpegReader& reader) {
  jpeg_decompress_struct& jpeg = reader.jpeg;
  if (setjmp(reader.failure.back) != 0) return false;
  (void)jpeg_start_decompress(&jpeg);
  while (jpeg.output_scanline < jpeg.output_height) {
    std::uint16_t* out =
        reader.picture.samples.data() + std::size_t{jpeg.output_scanline} * reader.row.size();
    JSAMPROW row = reader.row.data();
    (void)jpeg_read_scanlines(&jpeg, &row, 1);
    for (std::size_t i = 0; i < reader.row.size(); ++i) out[i] = row[i];
  }
  (void)jpeg_finish_decompress(&jpeg);
  return true;
}

struct JpegWriter {
  Failure failure{};
  jpeg_compress_struct jpeg{};
  const Picture& picture;
  Bytes row{};
  unsigned char* memory = nullptr;
  unsigned long size = 0;

  explicit JpegWriter(const Picture& source) : picture(source) {}
  JpegWriter(const JpegWriter&) = delete;
  JpegWriter& operator=(const JpegWriter&) = delete;
  ~JpegWriter() {
    jpeg_destroy_compress(&jpeg);
    std::free(memory);
  }
};

bool write_pixels(JpegWriter& writer) {
  jpeg_compress_struct& jpeg = writer.jpeg;
  jpeg.err = prepare(writer.failure);
  if (setjmp(writer.failure.back) != 0) return false;
  jpeg_create_compress(&jpeg);
  jpeg_mem_dest(&jpeg, &writer.memory, &writer.size);
  jpeg.image_width = writer.picture.columns;
  jpeg.image_height = writer.picture.rows;
  jpeg.input_components = static_cast<int>(writer.picture.channels);
  jpeg.in_color_space = writer.picture.channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
  jpeg_set_defaults(&jpeg);
  jpeg_set_quality(&jpeg, kQuality, TRUE);
  // Colours at full resolution: completed pictures are looked at pixel by pixel.
  for (int c = 0; c < jpeg.num_components; ++c)
    jpeg.comp_info[c].h_samp_factor = jpeg.comp_info[c].v_samp_factor = 1;
  jpeg_start_compress(&jpeg, TRUE);
  while (jpeg.next_scanline < jpeg.image_height) {
    const std::uint16_t* in =
        writer.picture.samples.data() + std::size_t{jpeg.next_scanline} * writer.row.size();
    for (std::size_t i = 0; i < writer.row.size(); ++i) writer.row[i] = static_cast<unsigned char>(in[i]);
    JSAMPROW row = writer.row.data();
    (void)jpeg_write_scanlines(&jpeg, &row, 1);
  }
  jpeg_finish_compress(&jpeg);
  return true;
}

}  // namespace

Result<Picture> decode_jpeg(const std::string& path, const Bytes& bytes) {
  JpegReader reader(bytes);
  const auto failure = [&] {
    return input_error(path,
                       fmt::format("found a JPEG that cannot be read: {}", reader.failure.message.data()));
  };
  if (!read_header(reader)) return failure();
  if (reader.four_inks) return input_error(path, "found a JPEG for print (CMYK), expected gray or colour");
  if (auto fine = check_picture_size(path, reader.rows, reader.columns, reader.channels); !fine)
    return fine.error();
  // A block of 8 x 8 numbers takes a bit at the least, and may stand for 4 x 4 times as many pixels. Arithmetic
  // coding can do with less than a bit.
  const std::uint64_t pixels_in_byte =
      std::uint64_t{8} * 64 * 16 * (reader.jpeg.arith_code != FALSE ? 64 : 1);
  if (reader.columns > bytes.size() * pixels_in_byte / reader.rows)
    return too_few_bytes(path, bytes.size(), reader.rows, reader.columns);
  reader.picture.rows = reader.rows;
  reader.picture.columns = reader.columns;
  reader.picture.channels = reader.channels;
  reader.row.resize(std::size_t{reader.columns} * reader.channels);
  reader.picture.samples.resize(reader.row.size() * reader.rows);
  if (!read_pixels(reader)) return failure();
  return std::move(reader.picture);
}

Result<Bytes> encode_jpeg(const std::string& path, const Picture& picture) {
  JpegWriter writer(picture);
  writer.row.resize(std::size_t{picture.columns} * picture.channels);
  if (!write_pixels(writer)) {
    return output_error(
        path, fmt::format("the picture cannot be written as JPEG: {}", writer.failure.message.data()));
  }
  return Bytes(writer.memory, writer.memory + writer.size);
}

}  // namespace lacuna::io
