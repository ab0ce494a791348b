// SPDX-License-Identifier: MIT
// Picks the reader or writer for a file by its name's ending and, where that does not say, by its first
// bytes.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <lacuna/io/files.hpp>
#include <stdexcept>

#include "io/array/npy.hpp"
#include "io/array/npz.hpp"
#include "io/array/npz_write.hpp"
#include "io/child/dense_child.hpp"
#include "io/cube/envi.hpp"
#include "io/file/standard_streams.hpp"
#include "io/file/stream_copy.hpp"
#include "io/file/system_text.hpp"
#include "io/matlab/mat.hpp"
#include "io/matlab/mat_write.hpp"
#include "io/picture/picture.hpp"
#include "io/shared_modes.hpp"
#include "io/text/coordinates.hpp"
#include "io/text/index_lines.hpp"
#include "io/text/number.hpp"
#include "io/text/reader.hpp"
#include "io/text/sptensor.hpp"
#include "io/text/table.hpp"
#include "io/text/table_write.hpp"
#include "io/text/tns.hpp"
#include "io/video/video.hpp"

namespace lacuna {
namespace {

constexpr int kLinesLookedAt = 100;

// What a name's ending says. kAuto with `text` set: some text format, the content tells which.
struct Ending {
  Format format = Format::kAuto;
  bool text = false;
  bool packed = false;  // ".gz", ".zst" or ".xz"
};

bool take_ending(std::string& name, std::string_view ending) {
  if (name.size() <= ending.size() || name.compare(name.size() - ending.size(), ending.size(), ending) != 0) {
    return false;
  }
  name.resize(name.size() - ending.size());
  return true;
}

Ending ending_of(const std::string& path) {
  struct Known {
    std::string_view ending;
    Format format;
    bool text;
  };
  // Sparse text may turn out to be an sptensor export, and .txt and the like anything that is text.
  constexpr std::array<Known, 40> kKnown = {{
      {".tns", Format::kTns, true},           {".tensor", Format::kSptensor, true},
      {".sptensor", Format::kSptensor, true}, {".csv", Format::kTable, true},
      {".tsv", Format::kTable, true},         {".txt", Format::kAuto, true},
      {".dat", Format::kAuto, true},          {".data", Format::kAuto, true},
      {".npy", Format::kNpy, false},          {".npz", Format::kNpz, false},
      {".mat", Format::kMat, false},          {".png", Format::kPicture, false},
      {".jpg", Format::kPicture, false},      {".jpeg", Format::kPicture, false},
      {".bmp", Format::kPicture, false},      {".jpe", Format::kPicture, false},
      {".dib", Format::kPicture, false},      {".nc", Format::kNetcdf, false},
      {".nc4", Format::kNetcdf, false},       {".cdf", Format::kNetcdf, false},
      {".h5", Format::kHdf5, false},          {".hdf5", Format::kHdf5, false},
      {".he5", Format::kHdf5, false},         {".tif", Format::kTiff, false},
      {".tiff", Format::kTiff, false},        {".hdr", Format::kEnvi, false},
      {".bsq", Format::kEnvi, false},         {".bil", Format::kEnvi, false},
      {".bip", Format::kEnvi, false},         {".img", Format::kEnvi, false},
      {".y4m", Format::kVideo, false},        {".mp4", Format::kVideo, false},
      {".m4v", Format::kVideo, false},        {".mkv", Format::kVideo, false},
      {".mov", Format::kVideo, false},        {".avi", Format::kVideo, false},
      {".webm", Format::kVideo, false},       {".mpg", Format::kVideo, false},
      {".mpeg", Format::kVideo, false},       {".ogv", Format::kVideo, false},
  }};
  std::string name = path;
  for (char& c : name) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  Ending out;
  out.packed = take_ending(name, ".gz") || take_ending(name, ".zst") || take_ending(name, ".xz");
  for (const Known& known : kKnown) {
    if (!take_ending(name, known.ending)) continue;
    out.format = known.format;
    out.text = known.text;
    return out;
  }
  return out;
}

// The first bytes of formats that are not text.
Result<Format> format_of_bytes(const std::string& path) {
  std::array<char, 16> bytes{};
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return input_error(path, io::system_text(errno));
  const ssize_t got = ::read(file, bytes.data(), bytes.size());
  const int code = errno;
  ::close(file);
  if (got < 0) return input_error(path, io::system_text(code));
  const std::string_view head(bytes.data(), static_cast<std::size_t>(got));
  const auto starts = [&](std::string_view magic) { return head.substr(0, magic.size()) == magic; };
  if (starts("\x93NUMPY")) return Format::kNpy;
  if (starts("PK\x03\x04")) return Format::kNpz;
  if (starts("\x89PNG\r\n") || starts("\xff\xd8\xff")) return Format::kPicture;
  if (starts("BM") && head.size() >= 10 && head.substr(6, 4) == std::string_view("\0\0\0\0", 4)) {
    return Format::kPicture;
  }
  if (starts("MATLAB ")) return Format::kMat;
  if (starts("\x89HDF\r\n")) return Format::kHdf5;
  if (starts("CDF\x01") || starts("CDF\x02") || starts("CDF\x05")) return Format::kNetcdf;
  if (starts(std::string_view("II*\0", 4)) || starts(std::string_view("MM\0*", 4)) ||
      starts(std::string_view("II+\0", 4)) || starts(std::string_view("MM\0+", 4)))
    return Format::kTiff;
  if (starts("YUV4MPEG2 ")) return Format::kVideo;
  return Format::kAuto;
}

bool all_numbers(std::string_view line) {
  const char* p = line.data();
  const char* const end = p + line.size();
  for (p = io::skip_blanks(p, end); p < end; p = io::skip_blanks(p, end)) {
    double value = 0;
    if (!io::parse_number(p, end, value) || (p < end && !io::is_blank(*p))) return false;
  }
  return true;
}

// The first lines of a text: "sptensor" speaks for itself, delimiters other than blanks make a table, and
// bare numbers a .tns.
Result<Format> format_of_text(const std::string& path) {
  auto reader = io::TextReader::open(path);
  if (!reader) return reader.error();
  int lines = 0;
  int delimited = 0;
  int numbers = 0;
  bool header = false;
  std::string_view line;
  while (lines < kLinesLookedAt && reader->next(line)) {
    if (io::is_comment(line)) continue;
    if (lines == 0 && io::trim(line) == "sptensor") return Format::kSptensor;
    ++lines;
    if (line.find_first_of("\t,;|") != std::string_view::npos || line.find("::") != std::string_view::npos) {
      ++delimited;
    }
    const bool bare = all_numbers(line);
    if (bare) ++numbers;
    if (lines == 1 && !bare) header = true;
  }
  if (const auto status = reader->status(); !status) return status.error();
  // A bad line among the numbers does not make a table: it is to be reported.
  const bool table = 2 * delimited > lines || header || 2 * numbers < lines;
  return table ? Format::kTable : Format::kTns;
}

// An sptensor export has this as its first word, whatever it is called.
Result<Format> sparse_text(const std::string& path) {
  auto format = format_of_text(path);
  if (!format) return format;
  return *format == Format::kSptensor ? Format::kSptensor : Format::kTns;
}

// Of the file at `path`, which is called `name`.
Result<Format> find_format(const std::string& name, const std::string& path) {
  const Ending ending = ending_of(name);
  if (ending.format == Format::kTns || ending.format == Format::kSptensor) return sparse_text(path);
  if (ending.packed && ending.format != Format::kAuto && !ending.text) {
    return input_error(path, "found a packed array or picture, expected it unpacked");
  }
  if (ending.format != Format::kAuto) return ending.format;
  if (!ending.text) {
    auto format = format_of_bytes(path);
    if (!format || *format != Format::kAuto) return format;
  }
  return format_of_text(path);
}

bool is_text(Format format) {
  return format == Format::kTns || format == Format::kSptensor || format == Format::kTable;
}

// The format that a file of this name is written in, unless another is asked for.
Result<Format> output_format(const std::string& path, const TensorFile& file, Format asked) {
  const Ending ending = ending_of(path);
  Format format = asked != Format::kAuto ? asked : ending.format;
  if (io::is_standard_stream(path) && format == Format::kAuto) format = file.format;
  // Endings such as .txt, and devices, leave it to the tensor: as it was, or else a table.
  if (format == Format::kAuto) {
    if (!ending.text && !is_text(file.format)) {
      return output_error(path,
                          "the name's ending does not say the format, expected .tns, .csv, .npy, .mat, ...");
    }
    format = is_text(file.format) ? file.format : Format::kTable;
  }
  if (ending.packed && !is_text(format)) {
    return output_error(path,
                        fmt::format("only text formats are written packed, not {}", format_name(format)));
  }
  if (format != Format::kTable && !file.entries.weight.empty()) {
    return output_error(path, fmt::format("the entries have weights, which a {} file cannot hold, expected a "
                                          "table such as .csv",
                                          format_name(format)));
  }
  return format;
}

}  // namespace

std::string_view format_name(Format format) {
  switch (format) {
    case Format::kAuto:
      return "auto";
    case Format::kTns:
      return "tns";
    case Format::kSptensor:
      return "sptensor";
    case Format::kTable:
      return "table";
    case Format::kNpy:
      return "npy";
    case Format::kNpz:
      return "npz";
    case Format::kMat:
      return "mat";
    case Format::kPicture:
      return "picture";
    case Format::kNetcdf:
      return "netcdf";
    case Format::kHdf5:
      return "hdf5";
    case Format::kTiff:
      return "tiff";
    case Format::kEnvi:
      return "envi";
    case Format::kVideo:
      return "video";
  }
  return "unknown";
}

namespace {

Result<TensorFile> read_format(Format format, const std::string& path, const ReadOptions& options) {
  switch (format) {
    case Format::kSptensor:
      return io::read_sptensor(path, options);
    case Format::kTable:
      return io::read_table(path, options);
    case Format::kNpy:
      return io::read_npy(path, options);
    case Format::kNpz:
      return io::read_npz(path, options);
    case Format::kMat:
      return io::read_mat(path, options);
    case Format::kPicture:
      return io::read_picture(path, options);
    case Format::kNetcdf:
    case Format::kHdf5:
    case Format::kTiff:
      return io::read_with_formats(format, path, options);
    case Format::kEnvi:
      return io::read_envi(path, options);
    case Format::kVideo:
      return io::read_video(path, options);
    default:
      return io::read_tns(path, options);
  }
}

// The file at `path`, which is called `name`.
Result<TensorFile> read_called(const std::string& name, const std::string& path, const ReadOptions& options) {
  if (options.index_base && *options.index_base != 0 && *options.index_base != 1)
    throw std::invalid_argument("an index base that is neither 0 nor 1");
  Format format = options.format;
  if (format == Format::kAuto) {
    const auto found = find_format(name, path);
    if (!found) return found.error();
    format = *found;
  }
  if (is_text(format) && !options.mask.empty())
    return usage_error(options.mask,
                       fmt::format("a mask goes with a dense array or a picture, and {} is a {} file", path,
                                   format_name(format)));
  if (format != Format::kTable && !options.weight_column.empty() && options.known_modes == nullptr) {
    return usage_error(path, fmt::format("found a {} file, expected a table for the weight column {}",
                                         format_name(format), io::quoted(options.weight_column)));
  }
  if (format != Format::kTable && !options.positions.empty() && options.known_modes == nullptr) {
    return usage_error(path, fmt::format("found a {} file, expected a table for the column of positions {}",
                                         format_name(format), io::quoted(options.positions.front())));
  }
  auto file = read_format(format, path, options);
  if (!file) return file;
  if (auto placed = io::place_modes(options, *file); !placed) return placed.error();
  if (const auto shared = io::share_modes(path, options, *file); !shared) return shared.error();
  return file;
}

}  // namespace

Result<TensorFile> read_tensor(const std::string& path, const ReadOptions& options) {
  if (!io::is_stream(path)) return read_called(path, path, options);
  const auto copy = io::StreamCopy::take(path);
  if (!copy) return copy.error();
  auto file = read_called(path, copy->path(), options);
  if (!file) return copy->of_stream(file.error());
  return file;
}

Result<> check_output_name(const std::string& path, const TensorFile& file, Format asked) {
  const auto format = output_format(path, file, asked);
  if (!format) return format.error();
  switch (*format) {
    case Format::kPicture:
      return io::check_picture_shape(path, file);
    case Format::kTiff:
      return io::check_tiff_shape(path, file);
    case Format::kEnvi:
      return io::check_envi_shape(path, file);
    case Format::kVideo:
      return io::check_video_shape(path, file);
    default:
      return Nothing{};
  }
}

Result<> write_tensor(const std::string& path, const TensorFile& file, Format asked) {
  const auto format = output_format(path, file, asked);
  if (!format) return format.error();
  switch (*format) {
    case Format::kSptensor:
      return io::write_sptensor(path, file);
    case Format::kTable:
      return io::write_table(path, file);
    case Format::kNpy:
      return io::write_npy(path, file);
    case Format::kNpz:
      return io::write_npz(path, file);
    case Format::kMat:
      return io::write_mat(path, file);
    case Format::kPicture:
      return io::write_picture(path, file);
    case Format::kNetcdf:
    case Format::kHdf5:
    case Format::kTiff:
      return io::write_with_formats(*format, path, file);
    case Format::kEnvi:
      return io::write_envi(path, file);
    case Format::kVideo:
      return io::write_video(path, file);
    default:
      return io::write_tns(path, file);
  }
}

std::string locate_entry(const std::string& path, const ReadOptions& options, Count entry) {
  if (io::is_standard_stream(path)) return io::kStandardInput;
  if (entry < 0 || io::is_stream(path)) return path;  // a stream is gone
  Format format = options.format;
  if (format == Format::kAuto) {
    const auto found = find_format(path, path);
    if (!found) return path;
    format = *found;
  }
  std::optional<Count> line;
  if (format == Format::kTns) line = io::locate_tns_entry(path, entry);
  if (format == Format::kSptensor) line = io::locate_sptensor_entry(path, entry);
  if (format == Format::kTable) line = io::locate_table_entry(path, options, entry);
  return line ? fmt::format("{}:{}", path, *line) : path;
}

}  // namespace lacuna
