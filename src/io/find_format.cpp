// SPDX-License-Identifier: MIT
#include "io/find_format.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>

#include "base/system_text.hpp"
#include "io/file/array_container.hpp"
#include "io/foreign.hpp"
#include "io/text/index_lines.hpp"
#include "io/text/number.hpp"
#include "io/text/reader.hpp"
#include "io/text/text_ranges.hpp"

namespace lacuna::io {
namespace {

constexpr int kLinesLookedAt = 100;
constexpr const char* kPackedArray = "found a packed array or picture, expected it unpacked";

bool take_ending(std::string& name, std::string_view ending) {
  if (name.size() <= ending.size() || name.compare(name.size() - ending.size(), ending.size(), ending) != 0) {
    return false;
  }
  name.resize(name.size() - ending.size());
  return true;
}

Format format_of_head(std::string_view head) {
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

// The first bytes of formats that are not text.
Result<Format> format_of_bytes(const std::string& path) {
  if (starts_like_container(path))
    return input_error(path, "found a model or a checkpoint, expected a file of entries or cells");
  std::array<char, 64> bytes{};
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return input_error(path, system_text(errno));
  const ssize_t got = ::read(file, bytes.data(), bytes.size());
  const int code = errno;
  ::close(file);
  if (got < 0) return input_error(path, system_text(code));
  const std::string_view head(bytes.data(), static_cast<std::size_t>(got));
  if (const std::string_view foreign = foreign_bytes(head); !foreign.empty())
    return input_error(
        path, fmt::format("found {}, which cannot be read, expected .csv, .tns, .npy, .mat, ...", foreign));
  return format_of_head(head);
}

bool all_numbers(std::string_view line) {
  const char* p = line.data();
  const char* const end = p + line.size();
  for (p = skip_blanks(p, end); p < end; p = skip_blanks(p, end)) {
    double value = 0;
    if (!parse_number(p, end, value) || (p < end && !is_blank(*p))) return false;
  }
  return true;
}

// The first lines of a text: "sptensor" speaks for itself, delimiters other than blanks make a table, and
// bare numbers a .tns.
Result<Format> format_of_text(const std::string& path) {
  auto reader = TextReader::open(path);
  if (!reader) return reader.error();
  int lines = 0;
  int delimited = 0;
  int numbers = 0;
  bool header = false;
  std::string_view line;
  while (lines < kLinesLookedAt && reader->next(line)) {
    // The start of an array's bytes is a line, too.
    if (lines == 0 && reader->packed() && format_of_head(line) != Format::kAuto)
      return input_error(path, kPackedArray);
    if (is_comment(line)) continue;
    if (lines == 0 && trim(line) == "sptensor") return Format::kSptensor;
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

Result<Format> format_of_file(const std::string& name, const std::string& path) {
  const Ending ending = ending_of(name);
  if (ending.format == Format::kTns || ending.format == Format::kSptensor) return sparse_text(path);
  if (ending.packed && ending.format != Format::kAuto && !ending.text) {
    return input_error(path, kPackedArray);
  }
  if (ending.format != Format::kAuto) return ending.format;
  if (!ending.text) {
    auto format = format_of_bytes(path);
    if (!format || *format != Format::kAuto) return format;
  }
  return format_of_text(path);
}

}  // namespace

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

Result<Format> find_format(const std::string& name, const std::string& path) {
  const auto files = text_files(path);
  if (!files) return files.error();
  const std::string& file = files->front();
  const bool folder = file != path;
  auto format = format_of_file(folder ? file : name, file);
  if (format && folder && *format != Format::kTns && *format != Format::kTable)
    return input_error(path, "found a folder of other files, expected .tns files or tables");
  return format;
}

}  // namespace lacuna::io
