// SPDX-License-Identifier: MIT
// Videos in the YUV4MPEG2 layout, 8 bits a sample: one line of parameters, then for each frame a line "FRAME" and its
// planes. As a tensor: time x row x column for gray ones, else time x row x column x channel (Y, Cb, Cr), values 0..1.
// Colours of every other row and column (4:2:0, 4:2:2, 4:1:1) stand for all the pixels they are about; written back they are
// the mean of those, so that what was not changed comes back as it was.
#pragma once

#include <cstdint>
#include <functional>
#include <lacuna/base/base.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/file/byte_file.hpp"

namespace lacuna::io {

struct Y4mFormat {
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
  unsigned channels = 3;      // 1: gray
  unsigned row_share = 1;     // rows of pixels for each row of colours
  unsigned column_share = 1;  // columns likewise
  std::string parameters;     // the first line, "YUV4MPEG2 W.. H.. ..."

  [[nodiscard]] std::size_t pixels() const { return std::size_t{rows} * columns; }
  [[nodiscard]] std::size_t colour_rows() const { return (rows + row_share - 1) / row_share; }
  [[nodiscard]] std::size_t colour_columns() const { return (columns + column_share - 1) / column_share; }
  [[nodiscard]] std::size_t frame_bytes() const {
    return pixels() + (channels == 1 ? 0 : 2 * colour_rows() * colour_columns());
  }
};

// `line`, without its end. Errors have no place.
Result<Y4mFormat> parse_y4m_line(std::string_view line);
// The line for an array that was no y4m video.
[[nodiscard]] std::string y4m_line(std::uint32_t rows, std::uint32_t columns, unsigned channels);

// A frame's planes <-> its pixels, all channels of one together, 0..1. Values beyond are brought within.
void decode_frame(const Y4mFormat& format, const unsigned char* bytes, double* out);
void encode_frame(const Y4mFormat& format, const double* value, unsigned char* bytes);

// Reads a stream. `get` fills all of its argument and says how much there was: less only at the end. The frames that
// the stream can hold are counted by `most_frames`; more than that is a kMemory error.
struct Y4mStream {
  Y4mFormat format;
  std::uint64_t frames = 0;
  std::vector<double> value{};
};
using GetBytes = std::function<Result<std::size_t>(std::span<unsigned char>)>;
Result<Y4mStream> read_y4m_stream(const std::string& path, const GetBytes& get);

// Writes one: put() as often as there is something.
using PutBytes = std::function<bool(const void* data, std::size_t bytes)>;
bool write_y4m_stream(const Y4mFormat& format, std::span<const double> value, const PutBytes& put);

}  // namespace lacuna::io
