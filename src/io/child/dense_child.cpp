// SPDX-License-Identifier: MIT
#include "io/child/dense_child.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/array/dense.hpp"
#include "io/child/formats_process.hpp"
#include "io/file/atomic_file.hpp"
#include "io/file/byte_file.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

using nlohmann::json;

std::string kind_of(Format format) {
  return format == Format::kNetcdf ? "netcdf" : format == Format::kHdf5 ? "hdf5" : "tiff";
}

// One mode as the program describes it; false when it is not what it should be.
bool take_axis(const json& axis, DenseArray& array, std::vector<std::uint64_t>& sizes, bool& placed) {
  if (!axis.is_object() || !axis.contains("size") || !axis["size"].is_number_unsigned()) return false;
  for (const char* key : {"name", "unit"})
    if (!axis.contains(key) || !axis[key].is_string()) return false;
  if (!axis.contains("placed") || !axis["placed"].is_boolean()) return false;
  sizes.push_back(axis["size"].get<std::uint64_t>());
  const std::string name = axis["name"].get<std::string>();
  array.mode_names.push_back(name.empty() || !is_utf8(name) ? fmt::format("mode{}", sizes.size()) : name);
  array.units.push_back(axis["unit"].get<std::string>());
  placed = axis["placed"].get<bool>();
  if (axis.value("unfit", json(false)) == true)
    array.notes.push_back(fmt::format(
        "the positions of mode '{}' in the file are not used: some are equal or no finite numbers",
        array.mode_names.back()));
  return true;
}

Result<> check_is_a_file(const std::string& path) {
  std::error_code code;
  const auto status = std::filesystem::status(path, code);
  if (code && status.type() != std::filesystem::file_type::not_found)
    return input_error(path, code.message());
  if (!std::filesystem::exists(status)) return input_error(path, "No such file or directory");
  if (!std::filesystem::is_regular_file(status))
    return input_error(path,
                       "found a pipe, a device or a folder, expected a file that can be read at any place");
  return Nothing{};
}

// The positions of the modes that have some, checked as any others are.
Result<> take_positions(FormatsProcess& from, const std::vector<bool>& placed, DenseArray& array) {
  array.positions.resize(placed.size());
  std::size_t next = 0;
  for (std::size_t k = 0; k < placed.size(); ++k) {
    if (!placed[k]) continue;
    if (from.arrays()[next++] != array.shape[k]) return from.nonsense();
    array.positions[k].resize(array.shape[k]);
    if (auto got = from.numbers(array.positions[k]); !got) return got;
    std::vector<double> ascending = array.positions[k];
    const bool finite =
        std::all_of(ascending.begin(), ascending.end(), [](double x) { return x - x == 0.0; });
    if (finite) std::sort(ascending.begin(), ascending.end());
    if (!finite || std::adjacent_find(ascending.begin(), ascending.end()) != ascending.end())
      return from.nonsense();
  }
  return Nothing{};
}

// Names such as "time" twice would make modes that cannot be told apart.
void make_distinct(std::vector<std::string>& names) {
  for (std::size_t k = 0; k < names.size(); ++k)
    if (std::find(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(k), names[k]) !=
        names.begin() + static_cast<std::ptrdiff_t>(k))
      names[k] = fmt::format("{}{}", names[k], k + 1);
}

// Whether `source` can be copied to become the file that is written.
bool can_be_copied(Format format, const std::string& source, const TensorFile& file) {
  std::error_code none;
  return !source.empty() && file.format == format && file.dense &&
         std::filesystem::is_regular_file(source, none);
}

Result<> copy_into(const std::string& source, AtomicFile& out) {
  constexpr std::uint64_t kBlock = std::uint64_t{1} << 22;
  const auto file = ByteFile::open(source);
  if (!file) return file.error();
  for (std::uint64_t at = 0; at < file->size(); at += kBlock) {
    const auto block = file->bytes(at, std::min(kBlock, file->size() - at));
    if (!block) return block.error();
    out.write(block->data(), block->size());
  }
  return Nothing{};
}

// HDF5, and NetCDF with it, opens files by names that lead somewhere: a new file of theirs is made in memory and then
// written to one without a name. What is too large for that, and a copy in which numbers are changed, has a passing name,
// which a kill leaves behind.
Result<AtomicFile::Place> place_for(Format format, bool copied, std::size_t bytes, AtomicFile& out) {
  if (format == Format::kTiff || (!copied && bytes <= FormatsProcess::kMostInMemory))
    return out.place_for_program();
  auto name = out.flush_to_path();
  if (!name) return name.error();
  return AtomicFile::Place{.path = std::move(*name)};
}

}  // namespace

Result<TensorFile> read_with_formats(Format format, const std::string& path, const ReadOptions& options) {
  if (auto fine = check_is_a_file(path); !fine) return fine.error();
  auto from = FormatsProcess::start(FormatsProcess::Job::kRead, path,
                                    {"read", kind_of(format), absolute_path(path), options.variable});
  if (!from) return from.error();
  const auto header = from->answer();
  if (!header) return header.error();
  DenseArray array;
  array.format = format;
  array.layout.source = absolute_path(path);
  if (!header->contains("axes") || !(*header)["axes"].is_array() || !header->contains("variable") ||
      !(*header)["variable"].is_string() || !header->contains("dtype") || !(*header)["dtype"].is_string())
    return from->nonsense();
  array.layout.variable = (*header)["variable"].get<std::string>();
  array.layout.dtype = (*header)["dtype"].get<std::string>();
  if (!parse_dtype(array.layout.dtype)) return from->nonsense();
  std::vector<std::uint64_t> sizes;
  std::vector<bool> placed;
  for (const json& axis : (*header)["axes"]) {
    bool has_positions = false;
    if (!take_axis(axis, array, sizes, has_positions)) return from->nonsense();
    placed.push_back(has_positions);
  }
  if (format == Format::kTiff)
    for (std::size_t k = 0; k < array.mode_names.size(); ++k)
      if (array.mode_names[k] == "row" || array.mode_names[k] == "column")
        array.in_order.push_back(static_cast<int>(k));
  make_distinct(array.mode_names);
  auto shape = checked_shape(path, sizes);
  if (!shape) return shape.error();
  array.shape = std::move(*shape);
  if (auto fits = check_reading_memory(path, array.shape); !fits) return fits.error();
  const auto position_lists = static_cast<std::size_t>(std::count(placed.begin(), placed.end(), true));
  if (from->arrays().size() != position_lists + 1 || from->arrays().back() != cells_of(array.shape))
    return from->nonsense();
  if (auto taken = take_positions(*from, placed, array); !taken) return taken.error();
  array.value.resize(cells_of(array.shape));
  if (auto got = from->numbers(array.value); !got) return got.error();
  if (auto ended = from->finish(); !ended) return ended.error();
  return dense_file(path, std::move(array), options);
}

Result<> check_tiff_shape(const std::string& path, const TensorFile& file) {
  if (file.modes.size() >= 2 && file.modes.size() <= 4) return Nothing{};
  return output_error(
      path, fmt::format("found a tensor of {}, expected row x column, row x column x band, or pages of "
                        "these, for a TIFF picture",
                        shape_text(shape_of(file))));
}

Result<> write_with_formats(Format format, const std::string& path, const TensorFile& file) {
  auto cells = dense_cells(path, file);
  if (!cells) return cells.error();
  if (file.layout.scale != 1.0)
    for (double& cell : *cells) cell *= file.layout.scale;
  auto out = AtomicFile::create(path);
  if (!out) return out.error();
  const bool copied = can_be_copied(format, file.layout.source, file);
  if (copied)
    if (auto done = copy_into(file.layout.source, *out); !done) return done;
  const auto place = place_for(format, copied, cells->size() * sizeof(double), *out);
  if (!place) return place.error();
  auto to = FormatsProcess::start(FormatsProcess::Job::kWrite, path,
                                  {copied ? "update" : "write", kind_of(format), absolute_path(place->path)},
                                  place->file);
  if (!to) return to.error();
  json axes = json::array();
  std::vector<std::uint64_t> arrays;
  for (const Mode& mode : file.modes) {
    const bool placed = mode.positions.size() == mode.size;
    axes.push_back({{"name", mode.name}, {"size", mode.size}, {"unit", mode.unit}, {"placed", placed}});
    if (placed) arrays.push_back(mode.size);
  }
  arrays.push_back(cells->size());
  // Failures show in the answer.
  bool sent = to->to().header(
      {{"variable", file.layout.variable}, {"dtype", file.layout.dtype}, {"axes", std::move(axes)}}, arrays);
  for (const Mode& mode : file.modes)
    if (sent && mode.positions.size() == mode.size) sent = to->to().numbers(mode.positions);
  if (sent && to->to().numbers(*cells)) (void)to->to().complete();
  if (const auto answer = to->answer(); !answer) return answer.error();
  if (auto ended = to->finish(); !ended) return ended;
  return out->commit();
}

}  // namespace lacuna::io
