// SPDX-License-Identifier: MIT
// numpy's .npz: a zip archive of .npy arrays. It holds one dense tensor, or a sparse one the way
// pydata/sparse (coords, data, shape) or scipy.sparse (format, row and col or indices and indptr, data,
// shape) saves it.
#include "io/array/npz.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "io/array/coo.hpp"
#include "io/array/dense.hpp"
#include "io/array/npy_format.hpp"
#include "io/array/zip.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

constexpr std::string_view kEnding = ".npy";
constexpr std::size_t kMostListed = 20;

struct Array {
  NpyHeader header;
  std::vector<double> value;  // last mode fastest
};

class Archive {
 public:
  static Result<Archive> open(const std::string& path) {
    auto zip = ZipReader::open(path);
    if (!zip) return zip.error();
    return Archive(path, std::move(*zip));
  }

  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const ZipReader& zip() const { return zip_; }
  [[nodiscard]] bool has(std::string_view name) const { return find(name) != nullptr; }
  // "x.npz(coords)", for messages
  [[nodiscard]] std::string where(std::string_view name) const { return fmt::format("{}({})", path_, name); }

  [[nodiscard]] const ZipMember* find(std::string_view name) const {
    for (const ZipMember& member : zip_.members()) {
      if (array_name(member) == name) return &member;
    }
    return nullptr;
  }
  // Members that are no arrays have the empty name.
  [[nodiscard]] static std::string_view array_name(const ZipMember& member) {
    const std::string_view name = member.name;
    return name.ends_with(kEnding) ? name.substr(0, name.size() - kEnding.size()) : std::string_view();
  }

  [[nodiscard]] Result<NpyHeader> header(std::string_view name) const;
  [[nodiscard]] Result<Array> numbers(std::string_view name) const;
  // An array of whole numbers that has so many dimensions.
  [[nodiscard]] Result<Array> integers(std::string_view name, std::size_t dimensions) const;
  [[nodiscard]] Result<std::string> text(std::string_view name) const;

 private:
  Archive(std::string path, ZipReader zip) : path_(std::move(path)), zip_(std::move(zip)) {}

  std::string path_;
  ZipReader zip_;
};

Result<NpyHeader> Archive::header(std::string_view name) const {
  const ZipMember* const member = find(name);
  if (member == nullptr) return input_error(path_, fmt::format("found no array {}", quoted(name)));
  const auto prefix = zip_.read_start(*member, kNpyPrefix);
  if (!prefix) return prefix.error();
  const auto size = npy_header_size(where(name), prefix->data(), prefix->size());
  if (!size) return size.error();
  const auto start = zip_.read_start(*member, *size);
  if (!start) return start.error();
  return parse_npy_header(where(name), start->data(), start->size());
}

Result<Array> Archive::numbers(std::string_view name) const {
  auto header = this->header(name);
  if (!header) return header.error();
  const ZipMember& member = *find(name);
  // Before the numbers are unpacked: do they make sense, and do they fit?
  const auto count = npy_count(where(name), *header, member.size - header->size);
  if (!count) return count.error();
  if (auto fits = check_memory(where(name), *count, 2 * sizeof(double)); !fits) return fits.error();
  const auto raw = zip_.read(member);
  if (!raw) return raw.error();
  auto value = npy_numbers(where(name), *header, raw->data() + header->size, raw->size() - header->size);
  if (!value) return value.error();
  return Array{std::move(*header), std::move(*value)};
}

Result<Array> Archive::integers(std::string_view name, std::size_t dimensions) const {
  auto array = numbers(name);
  if (!array) return array;
  const char kind = parse_dtype(array->header.dtype)->kind;
  if (kind != 'i' && kind != 'u') {
    return input_error(where(name),
                       fmt::format("found dtype {}, expected whole numbers", array->header.dtype));
  }
  if (array->header.shape.size() != dimensions) {
    return input_error(where(name),
                       fmt::format("found an array of {}, expected {} dimension{}",
                                   shape_text(array->header.shape), dimensions, dimensions == 1 ? "" : "s"));
  }
  return array;
}

// A bytes or str scalar, such as scipy's "format".
Result<std::string> Archive::text(std::string_view name) const {
  const auto header = this->header(name);
  if (!header) return header.error();
  const auto raw = zip_.read(*find(name));
  if (!raw) return raw.error();
  const bool wide = header->dtype.find('U') != std::string::npos;
  if (!wide && header->dtype.find('S') == std::string::npos) {
    return input_error(where(name), fmt::format("found dtype {}, expected text", quoted(header->dtype)));
  }
  std::string out;
  for (std::size_t at = header->size; at < raw->size(); ++at) {
    if ((*raw)[at] != 0) out.push_back(static_cast<char>((*raw)[at]));  // wide characters here are plain ones
  }
  return out;
}

Result<std::vector<std::uint64_t>> stated_shape(const Archive& archive) {
  const auto array = archive.integers("shape", 1);
  if (!array) return array.error();
  std::vector<std::uint64_t> shape;
  for (const double size : array->value) {
    if (size < 1 || size > static_cast<double>(kLargestSize)) {
      return input_error(archive.where("shape"),
                         fmt::format("found the size {}, expected one from 1 to {}", size, kLargestSize));
    }
    shape.push_back(static_cast<std::uint64_t>(size));
  }
  return shape;
}

// Numbers in `array` from `start` on -> positions below `size`.
Result<std::vector<Index>> to_positions(const std::string& where, const std::vector<double>& array,
                                        std::size_t start, std::size_t count, std::uint64_t size) {
  std::vector<Index> out(count);
  for (std::size_t e = 0; e < count; ++e) {
    const double position = array[start + e];
    if (position < 0 || position >= static_cast<double>(size)) {
      return input_error(where, fmt::format("found {} for entry {}, expected a position from 0 to {}",
                                            position, e + 1, size - 1));
    }
    out[e] = static_cast<Index>(position);
  }
  return out;
}

// The values, which a file of cells to predict need not have.
Result<std::vector<double>> stated_values(const Archive& archive, std::size_t count,
                                          const ReadOptions& options) {
  if (options.known_modes != nullptr && !archive.has("data")) {
    return std::vector<double>(count, std::numeric_limits<double>::quiet_NaN());
  }
  auto data = archive.numbers("data");
  if (!data) return data.error();
  if (data->header.shape.size() != 1 || data->value.size() != count) {
    return input_error(archive.where("data"), fmt::format("found an array of {}, expected {} values",
                                                          shape_text(data->header.shape), count));
  }
  return std::move(data->value);
}

// With a model's modes given, positions beyond the file's own shape are no error: they are unseen ones.
std::uint64_t position_limit(const ReadOptions& options, std::uint64_t size) {
  return options.known_modes != nullptr ? kLargestSize : size;
}

Result<CooList> read_coords(const Archive& archive, const ReadOptions& options) {
  auto shape = stated_shape(archive);
  if (!shape) return shape.error();
  const auto coords = archive.integers("coords", 2);
  if (!coords) return coords.error();
  const std::size_t order = shape->size();
  if (coords->header.shape[0] != order) {
    return input_error(archive.where("coords"),
                       fmt::format("found an array of {}, expected {} rows, one for each mode",
                                   shape_text(coords->header.shape), order));
  }
  const std::size_t count = coords->value.size() / std::max<std::size_t>(order, 1);
  CooList list;
  std::vector<std::vector<Index>> positions;
  for (std::size_t k = 0; k < order; ++k) {
    auto index = to_positions(fmt::format("{} row {}", archive.where("coords"), k), coords->value, k * count,
                              count, position_limit(options, (*shape)[k]));
    if (!index) return index.error();
    positions.push_back(std::move(*index));
  }
  list.entries.cells = std::move(positions);
  auto value = stated_values(archive, count, options);
  if (!value) return value.error();
  list.entries.value = std::move(*value);
  list.shape = std::move(*shape);
  return list;
}

// indptr[i] .. indptr[i + 1]: the entries of row i (csr) or column i (csc).
Result<std::vector<Index>> unpack_pointers(const Archive& archive, std::uint64_t size, std::size_t count) {
  const auto pointers = archive.integers("indptr", 1);
  if (!pointers) return pointers.error();
  const std::vector<double>& p = pointers->value;
  const bool whole = p.size() == size + 1 && p.front() == 0 && p.back() == static_cast<double>(count);
  if (!whole || !std::is_sorted(p.begin(), p.end())) {
    return input_error(archive.where("indptr"),
                       fmt::format("found numbers that do not rise from 0 to {} in {} steps", count, size));
  }
  std::vector<Index> out;
  out.reserve(count);
  for (std::size_t i = 0; i < size; ++i)
    out.resize(static_cast<std::size_t>(p[i + 1]), static_cast<Index>(i));
  return out;
}

Result<CooList> read_scipy(const Archive& archive, const ReadOptions& options) {
  const auto format = archive.text("format");
  if (!format) return format.error();
  if (*format != "coo" && *format != "csr" && *format != "csc") {
    return input_error(
        archive.where("format"),
        fmt::format("found a sparse array saved as {}, expected coo, csr or csc", quoted(*format)));
  }
  auto shape = stated_shape(archive);
  if (!shape) return shape.error();
  if (shape->size() != 2) {
    return input_error(archive.where("shape"), fmt::format("found {} sizes, expected 2", shape->size()));
  }
  CooList list;
  std::vector<std::vector<Index>> positions(2);
  const bool coo = *format == "coo";
  const std::size_t listed = *format == "csr" ? 1 : 0;  // the mode whose positions stand in `indices`
  for (std::size_t k = 0; k < 2; ++k) {
    if (!coo && k != listed) continue;
    const std::string_view name = !coo ? "indices" : k == 0 ? "row" : "col";
    const auto array = archive.integers(name, 1);
    if (!array) return array.error();
    auto index = to_positions(archive.where(name), array->value, 0, array->value.size(),
                              position_limit(options, (*shape)[k]));
    if (!index) return index.error();
    positions[k] = std::move(*index);
  }
  const std::size_t count = positions[listed].size();
  if (!coo) {
    auto index = unpack_pointers(archive, (*shape)[1 - listed], count);
    if (!index) return index.error();
    positions[1 - listed] = std::move(*index);
  }
  if (positions[0].size() != positions[1].size()) {
    return input_error(archive.path(), fmt::format("found {} rows and {} columns, expected as many",
                                                   positions[0].size(), positions[1].size()));
  }
  list.entries.cells = std::move(positions);
  auto value = stated_values(archive, count, options);
  if (!value) return value.error();
  list.entries.value = std::move(*value);
  list.shape = std::move(*shape);
  return list;
}

// The only array that can be a tensor, or a sentence that lists what there is.
Result<std::string> only_array(const Archive& archive) {
  std::vector<std::string> fitting;
  std::vector<std::string> listed;
  for (const ZipMember& member : archive.zip().members()) {
    const std::string name(Archive::array_name(member));
    if (name.empty()) continue;
    const auto header = archive.header(name);
    if (!header) return header.error();
    if (header->shape.size() >= 2 && parse_dtype(header->dtype)) fitting.push_back(name);
    if (listed.size() < kMostListed) {
      listed.push_back(fmt::format("{} ({} {})", name, shape_text(header->shape), header->dtype));
    }
  }
  if (fitting.size() == 1) return fitting.front();
  if (listed.empty()) return input_error(archive.path(), "found no arrays");
  return input_error(archive.path(),
                     fmt::format("found {} arrays of at least 2 modes, expected one or the name of one: {}",
                                 fitting.size(), fmt::join(listed, ", ")));
}

Result<TensorFile> read_dense(const Archive& archive, const ReadOptions& options) {
  std::string name = options.variable;
  if (name.empty()) {
    auto only = only_array(archive);
    if (!only) return only.error();
    name = std::move(*only);
  }
  const std::string where = archive.where(name);
  const auto header = archive.header(name);
  if (!header) return header.error();
  if (const auto count = npy_count(where, *header, archive.find(name)->size - header->size); !count) {
    return count.error();
  }
  DenseArray array;
  auto shape = checked_shape(where, header->shape);
  if (!shape) return shape.error();
  if (auto fits = check_reading_memory(where, *shape); !fits) return fits.error();
  auto content = archive.numbers(name);
  if (!content) return content.error();
  array.format = Format::kNpz;
  array.shape = std::move(*shape);
  array.value = std::move(content->value);
  array.layout.dtype = dtype_text(*parse_dtype(header->dtype));
  array.layout.fortran_order = header->fortran_order;
  array.layout.variable = name;
  return dense_file(where, std::move(array), options);
}

}  // namespace

Result<TensorFile> read_npz(const std::string& path, const ReadOptions& options) {
  const auto archive = Archive::open(path);
  if (!archive) return archive.error();
  const bool shaped = options.variable.empty() && archive->has("shape");
  if (shaped && archive->has("compressed_axes")) {
    return input_error(path, "found a compressed sparse array (GCXS), expected COO: coords, data and shape");
  }
  const bool coords = shaped && archive->has("coords");
  if (!coords && !(shaped && archive->has("format"))) return read_dense(*archive, options);
  auto list = coords ? read_coords(*archive, options) : read_scipy(*archive, options);
  if (!list) return list.error();
  return coo_file(path, std::move(*list), options);
}

}  // namespace lacuna::io
