// SPDX-License-Identifier: MIT
// Picks the reader or writer for a file by its name's ending and, where that does not say, by its first
// bytes.
#include <fmt/format.h>

#include <lacuna/io/files.hpp>
#include <stdexcept>
#include <utility>

#include "dist/agreement.hpp"
#include "io/array/npy.hpp"
#include "io/array/npz.hpp"
#include "io/array/npz_write.hpp"
#include "io/child/dense_child.hpp"
#include "io/cube/envi.hpp"
#include "io/file/standard_streams.hpp"
#include "io/file/stream_copy.hpp"
#include "io/find_format.hpp"
#include "io/foreign.hpp"
#include "io/matlab/mat.hpp"
#include "io/matlab/mat_write.hpp"
#include "io/picture/picture.hpp"
#include "io/shared_file.hpp"
#include "io/shared_modes.hpp"
#include "io/text/coordinates.hpp"
#include "io/text/index_lines.hpp"
#include "io/text/number.hpp"
#include "io/text/sptensor.hpp"
#include "io/text/table.hpp"
#include "io/text/table_write.hpp"
#include "io/text/tns.hpp"
#include "io/video/video.hpp"
#include "tensor/keep_if.hpp"

namespace lacuna {
namespace {

// The format that a file of this name is written in, unless another is asked for.
Result<Format> output_format(const std::string& path, const TensorFile& file, Format asked) {
  const io::Ending ending = io::ending_of(path);
  Format format = asked != Format::kAuto ? asked : ending.format;
  if (asked == Format::kAuto)
    if (auto fine = check_output_ending(path); !fine) return fine.error();
  if (io::is_standard_stream(path) && format == Format::kAuto) format = file.format;
  // Endings such as .txt, and devices, leave it to the tensor: as it was, or else a table.
  if (format == Format::kAuto) {
    if (!ending.text && !io::is_text(file.format)) {
      return output_error(path,
                          "the name's ending does not say the format, expected .tns, .csv, .npy, .mat, ...");
    }
    format = io::is_text(file.format) ? file.format : Format::kTable;
  }
  if (ending.packed && !io::is_text(format)) {
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

Result<io::Reading> read_format(Format format, const std::string& path, const ReadOptions& options,
                                const Communicator& everyone) {
  const auto whole = [&](Result<TensorFile> file) -> Result<io::Reading> {
    if (!file) return file.error();
    return io::Reading{.file = std::move(*file), .shared = everyone.alone()};
  };
  switch (format) {
    case Format::kSptensor:
      return whole(io::read_sptensor(path, options));
    case Format::kTable:
      return io::read_table(path, options, everyone);
    case Format::kNpy:
      return io::read_npy(path, options, everyone);
    case Format::kNpz:
      return whole(io::read_npz(path, options));
    case Format::kMat:
      return whole(io::read_mat(path, options));
    case Format::kPicture:
      return whole(io::read_picture(path, options));
    case Format::kNetcdf:
    case Format::kHdf5:
    case Format::kTiff:
      return whole(io::read_with_formats(format, path, options));
    case Format::kEnvi:
      return whole(io::read_envi(path, options));
    case Format::kVideo:
      return whole(io::read_video(path, options));
    default:
      return io::read_tns(path, options, everyone);
  }
}

// The format of the file at `path`, which is called `name`, and whether the options go with it.
Result<Format> check_format(const std::string& name, const std::string& path, const ReadOptions& options) {
  if (options.index_base && *options.index_base != 0 && *options.index_base != 1)
    throw std::invalid_argument("an index base that is neither 0 nor 1");
  Format format = options.format;
  if (format == Format::kAuto) {
    const auto found = io::find_format(name, path);
    if (!found) return found.error();
    format = *found;
  }
  if (io::is_text(format) && !options.mask.empty())
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
  return format;
}

// What everyone has read, to what is this process's; the number of its first entry.
Count keep_share(Entries& entries, const Communicator& everyone) {
  const Count size = entries.size();
  const Count begin = size * everyone.rank() / everyone.size();
  const Count end = size * (everyone.rank() + 1) / everyone.size();
  keep_if(entries, [&](Count e) { return e >= begin && e < end; });
  return begin;
}

std::string located(Format format, const std::string& path, const std::vector<io::TextRange>& ranges,
                    const ReadOptions& options, Count entry) {
  std::optional<std::string> place;
  if (format == Format::kTns) place = io::locate_tns_entry(ranges, entry);
  if (format == Format::kTable) place = io::locate_table_entry(path, ranges, options, entry);
  if (format == Format::kSptensor)
    if (const auto line = io::locate_sptensor_entry(path, entry)) place = fmt::format("{}:{}", path, *line);
  return place.value_or(path);
}

// The file at `path`, which is called `name`.
Result<SharedFile> read_called(const std::string& name, const std::string& path, const ReadOptions& options,
                               const Communicator& everyone) {
  const auto format = check_format(name, path, options);
  if (auto fine = agreed(everyone, format); !fine) return fine.error();
  auto reading = read_format(*format, path, options, everyone);
  if (auto fine = agreed(everyone, reading); !fine) return fine.error();
  SharedFile shared{.file = std::move(reading->file)};
  Count first = 0;
  if (!reading->shared) {
    first = keep_share(shared.file.entries, everyone);
    shared.file.missing = io::count_missing(shared.file.entries);
  }
  if (auto placed = io::place_modes(options, shared.file); !placed) return placed.error();
  if (const auto same = io::share_modes(path, options, shared.file); !same) return same.error();
  shared.locate = [format = *format, path, options, first, ranges = std::move(reading->ranges)](Count entry) {
    return located(format, path, ranges, options, first + entry);
  };
  return shared;
}

}  // namespace

Result<SharedFile> read_shared(const std::string& path, const ReadOptions& options,
                               const Communicator& everyone) {
  if (!io::is_stream(path)) return read_called(path, path, options, everyone);
  if (!everyone.alone())
    return usage_error(path, "a pipe is read by one process, expected a file that every process can read");
  const auto copy = io::StreamCopy::take(path);
  if (!copy) return copy.error();
  auto file = read_called(path, copy->path(), options, everyone);
  if (!file) return copy->of_stream(file.error());
  file->locate = [path](Count) { return io::is_standard_stream(path) ? io::kStandardInput : path; };
  return file;
}

Result<TensorFile> read_tensor(const std::string& path, const ReadOptions& options) {
  auto shared = read_shared(path, options, serial_communicator());
  if (!shared) return shared.error();
  return std::move(shared->file);
}

Result<> check_output_ending(const std::string& path) {
  const std::string_view foreign = io::foreign_ending(path);
  if (foreign.empty()) return Nothing{};
  return output_error(
      path,
      fmt::format("the name's ending says {}, which cannot be written, expected .csv, .tns, .npy, .mat, ...",
                  foreign));
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
    const auto found = io::find_format(path, path);
    if (!found) return path;
    format = *found;
  }
  const auto files = io::text_files(path);
  if (!files) return path;
  std::vector<io::TextRange> whole;
  for (const std::string& file : *files) whole.push_back({.path = file});
  return located(format, path, whole, options, entry);
}

}  // namespace lacuna
