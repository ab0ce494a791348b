// SPDX-License-Identifier: MIT
#include "io/video/y4m.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "io/array/dense.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

constexpr std::string_view kMagic = "YUV4MPEG2";
constexpr std::size_t kLongestLine = 4096;
constexpr double kFull = 255.0;
constexpr std::uint64_t kLongestSide = 65535;

struct ColourSpace {
  std::string_view name;
  unsigned channels;
  unsigned row_share;
  unsigned column_share;
};
constexpr std::array<ColourSpace, 8> kSpaces = {{{"420", 3, 2, 2},
                                                 {"420jpeg", 3, 2, 2},
                                                 {"420mpeg2", 3, 2, 2},
                                                 {"420paldv", 3, 2, 2},
                                                 {"422", 3, 1, 2},
                                                 {"411", 3, 1, 4},
                                                 {"444", 3, 1, 1},
                                                 {"mono", 1, 1, 1}}};

Error no_video(std::string what) { return input_error("", std::move(what)); }

bool take_size(std::string_view word, std::uint32_t& size) {
  std::uint64_t number = 0;
  if (!parse_index(word, number) || number == 0 || number > kLongestSide) return false;
  size = static_cast<std::uint32_t>(number);
  return true;
}

// Bytes up to the end of the line, which is not among them. False at the end of the stream.
Result<bool> get_line(const GetBytes& get, std::string& line) {
  line.clear();
  unsigned char c = 0;
  for (;;) {
    const auto got = get({&c, 1});
    if (!got) return got.error();
    if (*got == 0) return false;
    if (c == '\n') return true;
    line += static_cast<char>(c);
    if (line.size() > kLongestLine) return no_video("found a line of the video that does not end");
  }
}

// Bit by bit: a line of thirty bytes can claim frames of gigabytes that never come.
Result<std::size_t> get_frame(const GetBytes& get, std::size_t bytes, Bytes& frame) {
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::size_t filled = 0;
  while (filled < bytes) {
    frame.resize(std::max(frame.size(), std::min(bytes, filled + kBlock)));
    const std::size_t wanted = std::min(bytes, frame.size()) - filled;
    const auto got = get(std::span(frame).subspan(filled, wanted));
    if (!got) return got.error();
    filled += *got;
    if (*got < wanted) break;
  }
  return filled;
}

unsigned char to_byte(double value) {
  return static_cast<unsigned char>(std::lround(std::clamp(value, 0.0, 1.0) * kFull));
}

}  // namespace

Result<Y4mFormat> parse_y4m_line(std::string_view line) {
  if (!line.starts_with(kMagic))
    return no_video("found no 'YUV4MPEG2' at its beginning, expected a y4m video");
  Y4mFormat format;
  format.parameters = line;
  std::string_view space = "420";
  std::string_view rest = line.substr(kMagic.size());
  while (!rest.empty()) {
    const std::size_t blank = rest.find(' ');
    const std::string_view word = rest.substr(0, blank);
    rest = blank == std::string_view::npos ? std::string_view() : rest.substr(blank + 1);
    if (word.empty()) continue;
    const std::string_view value = word.substr(1);
    const bool fine = word[0] == 'W'   ? take_size(value, format.columns)
                      : word[0] == 'H' ? take_size(value, format.rows)
                                       : true;
    if (!fine)
      return no_video(fmt::format("found {}, expected a size from 1 to {}", quoted(word), kLongestSide));
    if (word[0] == 'C') space = value;
    if (word[0] == 'I' && value != "p" && value != "?")
      return no_video(fmt::format("found {}, expected frames that are not interlaced (Ip)", quoted(word)));
  }
  if (format.rows == 0 || format.columns == 0) return no_video("found no width or no height of the video");
  const auto known =
      std::find_if(kSpaces.begin(), kSpaces.end(), [&](const ColourSpace& one) { return one.name == space; });
  if (known == kSpaces.end())
    return no_video(fmt::format("found the colours {}, expected C420, C422, C411, C444 or Cmono of 8 bits",
                                quoted(space)));
  format.channels = known->channels;
  format.row_share = known->row_share;
  format.column_share = known->column_share;
  return format;
}

std::string y4m_line(std::uint32_t rows, std::uint32_t columns, unsigned channels) {
  return fmt::format("{} W{} H{} F25:1 Ip A1:1 C{}", kMagic, columns, rows, channels == 1 ? "mono" : "444");
}

void decode_frame(const Y4mFormat& format, const unsigned char* bytes, double* out) {
  const std::size_t step = format.channels;
  for (std::size_t pixel = 0; pixel < format.pixels(); ++pixel) out[pixel * step] = bytes[pixel] / kFull;
  if (step == 1) return;
  const unsigned char* plane = bytes + format.pixels();
  for (std::size_t c = 1; c < step; ++c, plane += format.colour_rows() * format.colour_columns())
    for (std::size_t i = 0; i < format.rows; ++i)
      for (std::size_t j = 0; j < format.columns; ++j) {
        const std::size_t at = i / format.row_share * format.colour_columns() + j / format.column_share;
        out[(i * format.columns + j) * step + c] = plane[at] / kFull;
      }
}

void encode_frame(const Y4mFormat& format, const double* value, unsigned char* bytes) {
  const std::size_t step = format.channels;
  for (std::size_t pixel = 0; pixel < format.pixels(); ++pixel) bytes[pixel] = to_byte(value[pixel * step]);
  if (step == 1) return;
  unsigned char* plane = bytes + format.pixels();
  for (std::size_t c = 1; c < step; ++c, plane += format.colour_rows() * format.colour_columns()) {
    for (std::size_t i = 0; i < format.colour_rows(); ++i) {
      for (std::size_t j = 0; j < format.colour_columns(); ++j) {
        double sum = 0.0;
        std::size_t count = 0;
        for (std::size_t y = i * format.row_share;
             y < std::min<std::size_t>((i + 1) * format.row_share, format.rows); ++y)
          for (std::size_t x = j * format.column_share;
               x < std::min<std::size_t>((j + 1) * format.column_share, format.columns); ++x, ++count)
            sum += value[(y * format.columns + x) * step + c];
        plane[i * format.colour_columns() + j] = to_byte(sum / static_cast<double>(count));
      }
    }
  }
}

Result<Y4mStream> read_y4m_stream(const std::string& path, const GetBytes& get) {
  const auto placed = [&](const Error& error) { return Error{error.kind, path, error.what}; };
  std::string line;
  auto more = get_line(get, line);
  if (!more) return placed(more.error());
  const auto format = parse_y4m_line(line);
  if (!format) return placed(format.error());
  Y4mStream stream;
  stream.format = *format;
  const std::size_t cells = format->pixels() * format->channels;
  Bytes frame;
  for (;;) {
    more = get_line(get, line);
    if (!more) return placed(more.error());
    if (!*more && line.empty()) break;
    const std::string where = fmt::format("{}, frame {}", path, stream.frames + 1);
    if (line != "FRAME" && !line.starts_with("FRAME "))
      return input_error(where, fmt::format("found {}, expected the word FRAME", quoted(line)));
    const auto got = get_frame(get, format->frame_bytes(), frame);
    if (!got) return placed(got.error());
    if (*got < format->frame_bytes())
      return input_error(where, fmt::format("found {} bytes, expected {}: the video is cut short", *got,
                                            format->frame_bytes()));
    const std::uint64_t all = (stream.frames + 1) * cells;
    // While the list of numbers grows.
    constexpr std::uint64_t kCell = 2 * sizeof(double) + 4 * sizeof(Index);
    if (all > stream.value.capacity()) {  // what is allowed is asked when the list grows, not for each frame
      const std::uint64_t room = std::max<std::uint64_t>(all, 2 * stream.value.capacity());
      if (auto fits = check_memory(path, room, kCell); !fits)
        if (fits = check_memory(path, all, kCell); !fits) return fits.error();
      stream.value.reserve(room);
    }
    stream.value.resize(all);
    decode_frame(*format, frame.data(), stream.value.data() + stream.frames * cells);
    ++stream.frames;
  }
  if (stream.frames == 0) return input_error(path, "found no frame in the video");
  return stream;
}

bool write_y4m_stream(const Y4mFormat& format, std::span<const double> value, const PutBytes& put) {
  const std::string first = format.parameters + "\n";
  if (!put(first.data(), first.size())) return false;
  constexpr std::string_view kFrame = "FRAME\n";
  const std::size_t cells = format.pixels() * format.channels;
  Bytes frame(format.frame_bytes());
  for (std::size_t at = 0; at + cells <= value.size(); at += cells) {
    encode_frame(format, value.data() + at, frame.data());
    if (!put(kFrame.data(), kFrame.size()) || !put(frame.data(), frame.size())) return false;
  }
  return true;
}

}  // namespace lacuna::io
