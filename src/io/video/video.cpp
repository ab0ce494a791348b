// SPDX-License-Identifier: MIT
#include "io/video/video.hpp"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <optional>

#include "io/array/dense.hpp"
#include "io/child/formats_process.hpp"
#include "io/child/spawn.hpp"
#include "io/file/atomic_file.hpp"
#include "io/file/byte_file.hpp"
#include "io/file/ending.hpp"
#include "io/picture/picture.hpp"
#include "io/video/y4m.hpp"

namespace lacuna::io {
namespace {

bool is_y4m(const std::string& path) { return has_ending(path, ".y4m"); }

std::optional<std::string> find_ffmpeg() {
  const char* const path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "/usr/local/bin:/usr/bin:/bin" : path;
  while (!rest.empty()) {
    const std::size_t colon = rest.find(':');
    const std::string program = std::string(rest.substr(0, colon)) + "/ffmpeg";
    if (::access(program.c_str(), X_OK) == 0) return program;
    rest = colon == std::string_view::npos ? std::string_view() : rest.substr(colon + 1);
  }
  return std::nullopt;
}

std::string no_ffmpeg() {
  return "found no program ffmpeg, expected it for videos other than y4m: install it, or give a .y4m file";
}

Result<ChildProcess> start_ffmpeg(std::vector<std::string> words) {
  const auto program = find_ffmpeg();
  if (!program) return Error{ErrorKind::kInput, "", no_ffmpeg()};
  words.insert(words.begin(), {"ffmpeg", "-hide_banner", "-loglevel", "quiet"});
  std::vector<std::string> environment = {"LC_ALL=C"};
  for (const char* name : {"PATH", "LD_LIBRARY_PATH"})
    if (const char* value = std::getenv(name)) environment.push_back(fmt::format("{}={}", name, value));
  return ChildProcess::start(*program, std::move(words), std::move(environment), most_silence());
}

Result<Y4mStream> read_plain(const std::string& path) {
  const auto file = ByteFile::open(path);
  if (!file) return file.error();
  std::uint64_t at = 0;
  constexpr std::size_t kBlock = std::size_t{1} << 16;
  Bytes block;  // lines are read byte by byte
  std::uint64_t begin = 0;
  return read_y4m_stream(path, [&](std::span<unsigned char> out) -> Result<std::size_t> {
    const std::size_t count =
        static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), file->size() - at));
    if (count > kBlock) {
      if (auto got = file->read(at, out.data(), count); !got) return got.error();
    } else {
      if (at < begin || at + count > begin + block.size()) {
        auto next = file->bytes(at, std::min<std::uint64_t>(kBlock, file->size() - at));
        if (!next) return next.error();
        block = std::move(*next);
        begin = at;
      }
      std::copy_n(block.begin() + static_cast<std::ptrdiff_t>(at - begin), count, out.begin());
    }
    at += count;
    return count;
  });
}

// Kinds of files that hold their frames themselves. ffmpeg goes by what is in a file: a list of other files (ffconcat,
// HLS, DASH) that is called video.mp4 would have it read those.
constexpr const char* kVideos =
    "mov,matroska,avi,mpeg,mpegts,mpegvideo,m4v,h264,hevc,ogg,flv,asf,yuv4mpegpipe";

// Frames at the pace of the stream, in the colours that y4m has.
Result<Y4mStream> read_through_ffmpeg(const std::string& path) {
  if (const auto file = ByteFile::open(path); !file) return file.error();
  auto child = start_ffmpeg({"-nostdin", "-protocol_whitelist", "file", "-format_whitelist", kVideos, "-i",
                             "file:" + absolute_path(path), "-map", "0:v:0", "-pix_fmt", "yuv420p", "-f",
                             "yuv4mpegpipe", "pipe:1"});
  if (!child) return input_error(path, child.error().what);
  auto stream = read_y4m_stream(path, [&](std::span<unsigned char> out) -> Result<std::size_t> {
    std::size_t filled = 0;
    while (filled < out.size()) {
      const ssize_t got = ::read(child->socket(), out.data() + filled, out.size() - filled);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0)
        return input_error(path, fmt::format("ffmpeg said nothing for {} s and was stopped", most_silence()));
      if (got == 0) break;
      filled += static_cast<std::size_t>(got);
    }
    return filled;
  });
  const int status = stream ? child->wait() : 0;
  if (!stream && stream.error().kind == ErrorKind::kInput &&
      stream.error().what.find("YUV4MPEG2") != std::string::npos)
    return input_error(path, "found no video that ffmpeg can read");
  if (stream && status > 0) return input_error(path, "ffmpeg could not read the video to its end");
  return stream;
}

Result<> write_plain(const std::string& path, const Y4mFormat& format, const std::vector<double>& cells) {
  auto out = AtomicFile::create(path);
  if (!out) return out.error();
  write_y4m_stream(format, cells, [&](const void* data, std::size_t bytes) {
    out->write(data, bytes);
    return true;
  });
  return out->commit();
}

// ffmpeg's word for the kind of file that a name's ending says.
std::string container_of(const std::string& path) {
  constexpr std::array<std::pair<const char*, const char*>, 4> kOthers = {
      {{".mkv", "matroska"}, {".mpg", "mpeg"}, {".mpeg", "mpeg"}, {".m4v", "mp4"}}};
  for (const auto& [ending, name] : kOthers)
    if (has_ending(path, ending)) return name;
  return path.substr(path.rfind('.') + 1);
}

Result<> write_through_ffmpeg(const std::string& path, const Y4mFormat& format,
                              const std::vector<double>& cells) {
  auto out = AtomicFile::create(path);
  if (!out) return out.error();
  const auto temporary = out->flush_to_path();
  if (!temporary) return temporary.error();
  auto child = start_ffmpeg({"-y", "-protocol_whitelist", "file,pipe", "-f", "yuv4mpegpipe", "-i", "pipe:0",
                             "-f", container_of(path), "file:" + absolute_path(*temporary)});
  if (!child) return output_error(path, child.error().what);
  const bool sent = write_y4m_stream(format, cells, [&](const void* data, std::size_t bytes) {
    const char* p = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t put = ::send(child->socket(), p, bytes, MSG_NOSIGNAL);
      if (put < 0 && errno == EINTR) continue;
      if (put <= 0) return false;
      p += put;
      bytes -= static_cast<std::size_t>(put);
    }
    return true;
  });
  child->say_no_more();
  if (child->wait() != 0 || !sent) return output_error(path, "ffmpeg could not write the video");
  return out->commit();
}

unsigned channels_of(const std::vector<Index>& shape) { return shape.size() == 4 && shape[3] == 3 ? 3 : 1; }

// The parameters of the video that was read, if they fit, else some.
Result<Y4mFormat> format_for(const TensorFile& file) {
  const std::vector<Index> shape = shape_of(file);
  if (file.format == Format::kVideo) {
    auto format = parse_y4m_line(file.layout.parameters);
    if (format && format->rows == shape[1] && format->columns == shape[2] &&
        format->channels == channels_of(shape))
      return format;
  }
  return parse_y4m_line(y4m_line(shape[1], shape[2], channels_of(shape)));
}

}  // namespace

Result<TensorFile> read_video(const std::string& path, const ReadOptions& options) {
  auto stream =
      is_y4m(path) || options.format != Format::kAuto ? read_plain(path) : read_through_ffmpeg(path);
  if (!stream) return stream.error();
  const Y4mFormat& format = stream->format;
  std::vector<std::uint64_t> sizes = {stream->frames, format.rows, format.columns};
  if (format.channels > 1) sizes.push_back(format.channels);
  auto shape = checked_shape(path, sizes);
  if (!shape) return shape.error();
  if (auto fits = check_reading_memory(path, *shape); !fits) return fits.error();
  DenseArray array;
  array.format = Format::kVideo;
  array.shape = std::move(*shape);
  array.value = std::move(stream->value);
  array.group = format.channels;
  array.mode_names = {"time", "row", "column", "channel"};
  array.in_order = {0, 1, 2};
  array.layout.dtype = "|u1";
  array.layout.scale = 255;
  array.layout.parameters = format.parameters;
  array.tolerance = 0.5 / array.layout.scale;
  return dense_file(path, std::move(array), options);
}

Result<> check_video_shape(const std::string& path, const TensorFile& file) {
  const std::vector<Index> shape = shape_of(file);
  const bool fits = shape.size() == 3 || (shape.size() == 4 && (shape[3] == 1 || shape[3] == 3));
  if (!fits)
    return output_error(
        path, fmt::format("found a tensor of {}, expected time x row x column, or time x row x column "
                          "x 1 or 3, for a video",
                          shape_text(shape)));
  if (!is_y4m(path) && !find_ffmpeg()) return output_error(path, no_ffmpeg());
  return Nothing{};
}

Result<> write_video(const std::string& path, const TensorFile& file) {
  if (auto fine = check_video_shape(path, file); !fine) return fine;
  const auto format = format_for(file);
  if (!format) return output_error(path, format.error().what);
  auto cells = dense_cells(path, file);
  if (!cells) return cells.error();
  const auto blank = std::find_if(cells->begin(), cells->end(), [](double v) { return std::isnan(v); });
  if (blank != cells->end())
    return output_error(
        path, fmt::format("cell {} has no value, which a video cannot leave out",
                          cell_text(shape_of(file), static_cast<std::uint64_t>(blank - cells->begin()),
                                    file.index_base)));
  if (const double full = full_brightness(file.layout); full != 1.0)
    for (double& cell : *cells) cell /= full;
  return is_y4m(path) ? write_plain(path, *format, *cells) : write_through_ffmpeg(path, *format, *cells);
}

}  // namespace lacuna::io
