// SPDX-License-Identifier: MIT
#include "io/cube/envi.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <filesystem>
#include <limits>

#include "io/array/dense.hpp"
#include "io/cube/envi_header.hpp"
#include "io/file/atomic_file.hpp"
#include "io/file/byte_file.hpp"
#include "io/file/ending.hpp"
#include "io/file/standard_streams.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 8> kRawEndings = {"",     ".img", ".dat", ".raw",
                                                    ".bsq", ".bil", ".bip", ".cube"};
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

struct Paths {
  std::string header;
  std::string raw;
};

bool is_file(const fs::path& path) {
  std::error_code none;
  return fs::is_regular_file(path, none);
}

// cube.hdr beside cube, cube.img, ...; or cube.img beside cube.hdr or cube.img.hdr.
Result<Paths> find_files(const std::string& path) {
  const fs::path given = path;
  if (has_ending(path, ".hdr")) {
    const fs::path stem = fs::path(given).replace_extension();
    for (const char* const ending : kRawEndings)
      if (is_file(stem.string() + ending)) return Paths{.header = path, .raw = stem.string() + ending};
    return input_error(
        path, fmt::format("found no file of numbers beside it, expected {} with or without .img, .dat, "
                          ".raw, .bsq, .bil, .bip or .cube",
                          stem.string()));
  }
  for (const fs::path& header : {fs::path(given).replace_extension(".hdr"), fs::path(path + ".hdr")})
    if (is_file(header)) return Paths{.header = header.string(), .raw = path};
  return input_error(path, fmt::format("found no header beside it, expected {}",
                                       fs::path(given).replace_extension(".hdr").string()));
}

// How far apart neighbours along each mode are in the raw file, in numbers.
struct Strides {
  std::size_t row = 0;
  std::size_t column = 0;
  std::size_t band = 0;
};

Strides strides_of(const std::string& interleave, std::size_t rows, std::size_t columns, std::size_t bands) {
  if (interleave == "bip") return {.row = columns * bands, .column = bands, .band = 1};
  if (interleave == "bil") return {.row = columns * bands, .column = 1, .band = columns};
  return {.row = columns, .column = 1, .band = rows * columns};
}

Result<std::string> interleave_of(const EnviHeader& header) {
  const std::string* const found = header.find("interleave");
  std::string word = found == nullptr ? "bsq" : *found;
  for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (word == "bsq" || word == "bil" || word == "bip") return word;
  return input_error(header.where("interleave"),
                     fmt::format("found {}, expected bsq, bil or bip", io::quoted(word)));
}

// Raw numbers in the file's order -> row x column x band.
std::vector<double> sorted(const std::vector<double>& raw, const Strides& stride,
                           const std::vector<Index>& shape) {
  std::vector<double> out(raw.size());
  std::size_t to = 0;
  for (std::size_t i = 0; i < shape[0]; ++i)
    for (std::size_t j = 0; j < shape[1]; ++j)
      for (std::size_t b = 0; b < shape[2]; ++b)
        out[to++] = raw[i * stride.row + j * stride.column + b * stride.band];
  return out;
}

Result<> take_wavelengths(const EnviHeader& header, DenseArray& array) {
  const auto wavelengths = header.numbers("wavelength");
  if (!wavelengths) return wavelengths.error();
  if (wavelengths->empty()) return Nothing{};
  const std::string where = header.where("wavelength");
  if (wavelengths->size() != array.shape[2])
    return input_error(where, fmt::format("found {} wavelengths, expected {}, one for each band",
                                          wavelengths->size(), array.shape[2]));
  std::vector<double> ascending = *wavelengths;
  std::sort(ascending.begin(), ascending.end());
  if (const auto same = std::adjacent_find(ascending.begin(), ascending.end()); same != ascending.end())
    return input_error(where, fmt::format("found the wavelength {} twice, expected no two the same", *same));
  array.positions = {{}, {}, *wavelengths};
  const std::string* const unit = header.find("wavelength units");
  array.units = {"", "", unit == nullptr || *unit == "Unknown" ? "" : *unit};
  return Nothing{};
}

Result<std::optional<double>> ignored_value(const EnviHeader& header) {
  const std::string* const words = header.find("data ignore value");
  if (words == nullptr) return std::optional<double>();
  double value = 0;
  if (!parse_number(*words, value))
    return input_error(header.where("data ignore value"),
                       fmt::format("found {}, expected a number", io::quoted(*words)));
  return std::optional<double>(value);
}

// The type of the numbers and how they lie, as the header says.
struct Layout {
  Dtype dtype;
  std::string interleave;
  std::uint64_t offset = 0;
};

Result<Layout> layout_of(const EnviHeader& header) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::int64_t>::max();
  const auto offset = header.number("header offset", 0, kMost, 0);
  const auto number = header.number("data type", 0, 99);
  const auto order = header.number("byte order", 0, 1, 0);
  auto interleave = interleave_of(header);
  for (const Error* error : {offset ? nullptr : &offset.error(), number ? nullptr : &number.error(),
                             order ? nullptr : &order.error(), interleave ? nullptr : &interleave.error()})
    if (error != nullptr) return *error;
  auto dtype = envi_dtype(*number);
  if (!dtype)
    return input_error(
        header.where("data type"),
        fmt::format("found the data type {}, expected 1, 2, 3, 4, 5, 12, 13, 14 or 15", *number));
  dtype->big_endian = *order == 1 && dtype->size > 1;
  return Layout{.dtype = *dtype, .interleave = std::move(*interleave), .offset = *offset};
}

Result<std::vector<Index>> shape_in(const EnviHeader& header, const std::string& path) {
  std::vector<std::uint64_t> sizes;
  for (const char* key : {"lines", "samples", "bands"}) {
    const auto size = header.number(key, 1, kLargestSize);
    if (!size) return size.error();
    sizes.push_back(*size);
  }
  return checked_shape(path, sizes);
}

// The raw file, judged by its size before memory is taken for it.
Result<std::vector<double>> read_numbers(const std::string& raw, const Layout& layout,
                                         const std::vector<Index>& shape) {
  const std::size_t cells = cells_of(shape);
  const auto file = ByteFile::open(raw);
  if (!file) return file.error();
  const std::uint64_t bytes = cells * layout.dtype.size;
  if (layout.offset > file->size() || file->size() - layout.offset < bytes)
    return input_error(raw, fmt::format("found {} bytes, expected {} after the first {}, as the header says",
                                        file->size(), bytes, layout.offset));
  if (auto fits = check_reading_memory(raw, shape); !fits) return fits.error();
  constexpr std::size_t kBlock = std::size_t{1} << 20;
  std::vector<double> numbers(cells);
  for (std::size_t at = 0; at < cells; at += kBlock) {
    const std::size_t count = std::min(kBlock, cells - at);
    const auto block = file->bytes(layout.offset + at * layout.dtype.size, count * layout.dtype.size);
    if (!block) return block.error();
    decode_numbers(layout.dtype, block->data(), count, numbers.data() + at);
  }
  return numbers;
}

// The header of the cube that was read, or a new one.
EnviHeader header_for(const TensorFile& file) {
  if (file.format == Format::kEnvi && !file.layout.source.empty())
    if (auto old = EnviHeader::read(file.layout.source)) return *old;
  EnviHeader header;
  header.set("description", "{written by lacuna}");
  return header;
}

void describe(const TensorFile& file, const Dtype& dtype, const std::string& interleave, EnviHeader& header) {
  const bool flat = file.modes.size() == 2;
  header.set("samples", fmt::to_string(file.modes[1].size));
  header.set("lines", fmt::to_string(file.modes[0].size));
  header.set("bands", fmt::to_string(flat ? Index{1} : file.modes[2].size));
  header.set("header offset", "0");
  header.set("data type", fmt::to_string(*envi_number(dtype)));
  header.set("interleave", interleave);
  header.set("byte order", dtype.big_endian ? "1" : "0");
  if (flat || file.modes[2].positions.size() != file.modes[2].size) return;
  header.set("wavelength", fmt::format("{{{}}}", fmt::join(file.modes[2].positions, ", ")));
  if (!file.modes[2].unit.empty()) header.set("wavelength units", file.modes[2].unit);
}

Paths files_to_write(const std::string& path) {
  const fs::path given = path;
  if (has_ending(path, ".hdr"))
    return {.header = path, .raw = fs::path(given).replace_extension(".img").string()};
  return {.header = fs::path(given).replace_extension(".hdr").string(), .raw = path};
}

Result<> write_whole(const std::string& path, const void* data, std::size_t bytes) {
  auto out = AtomicFile::create(path);
  if (!out) return out.error();
  out->write(data, bytes);
  return out->commit();
}

// A cube must not be written over the numbers of the one it was made from: which were missing would be lost.
Result<> check_not_the_source(const Paths& paths, const TensorFile& file) {
  if (file.format != Format::kEnvi || file.layout.source.empty()) return Nothing{};
  const auto source = find_files(file.layout.source);
  std::error_code none;
  for (const std::string& out : {paths.header, paths.raw})
    if (source && (fs::equivalent(out, source->raw, none) || fs::equivalent(out, source->header, none)))
      return output_error(out, "this is a file of the cube that was read, expected another name");
  return Nothing{};
}

const std::string& other_of(const Paths& paths, const std::string& path) {
  return path == paths.header ? paths.raw : paths.header;
}

}  // namespace

bool names_envi(const std::string& path) {
  return has_ending(path, ".hdr") || has_ending(path, ".img") || has_ending(path, ".bsq") ||
         has_ending(path, ".bil") || has_ending(path, ".bip");
}

std::string envi_file_read_with(const std::string& path) {
  const auto paths = find_files(path);
  return paths ? other_of(*paths, path) : "";
}

std::string envi_file_written_with(const std::string& path) { return other_of(files_to_write(path), path); }

Result<TensorFile> read_envi(const std::string& path, const ReadOptions& options) {
  const auto paths = find_files(path);
  if (!paths) return paths.error();
  const auto header = EnviHeader::read(paths->header);
  if (!header) return header.error();
  const auto layout = layout_of(*header);
  if (!layout) return layout.error();
  auto shape = shape_in(*header, path);
  if (!shape) return shape.error();
  auto raw = read_numbers(paths->raw, *layout, *shape);
  if (!raw) return raw.error();
  DenseArray array;
  array.format = Format::kEnvi;
  array.shape = std::move(*shape);
  array.mode_names = {"row", "column", "band"};
  array.in_order = {0, 1, 2};
  const Strides stride = strides_of(layout->interleave, array.shape[0], array.shape[1], array.shape[2]);
  array.value = layout->interleave == "bip" ? std::move(*raw) : sorted(*raw, stride, array.shape);
  const auto ignored = ignored_value(*header);
  if (!ignored) return ignored.error();
  if (*ignored) std::replace(array.value.begin(), array.value.end(), **ignored, kNaN);
  if (auto taken = take_wavelengths(*header, array); !taken) return taken.error();
  array.layout.dtype = dtype_text(layout->dtype);
  array.layout.parameters = layout->interleave;
  array.layout.source = paths->header;
  return dense_file(path, std::move(array), options);
}

Result<> check_envi_shape(const std::string& path, const TensorFile& file) {
  if (is_standard_stream(path))
    return output_error(path, "an ENVI cube is two files, expected a name for them");
  if (file.modes.size() == 2 || file.modes.size() == 3) return Nothing{};
  return output_error(path, fmt::format("found a tensor of {}, expected row x column x band for an ENVI cube",
                                        shape_text(shape_of(file))));
}

Result<> write_envi(const std::string& path, const TensorFile& file) {
  if (auto fine = check_envi_shape(path, file); !fine) return fine;
  const Paths paths = files_to_write(path);
  if (auto fine = check_not_the_source(paths, file); !fine) return fine;
  auto cells = dense_cells(path, file);
  if (!cells) return cells.error();
  EnviHeader header = header_for(file);
  Dtype dtype = parse_dtype(file.layout.dtype).value_or(Dtype{});
  if (!envi_number(dtype))
    dtype = dtype.kind == 'b' ? Dtype{'u', 1, false} : Dtype{'f', dtype.size == 2 ? 4U : 8U, false};
  const auto ignored = ignored_value(header);
  if (!ignored) return output_error(path, ignored.error().message());
  for (double& cell : *cells) cell = std::isnan(cell) ? ignored->value_or(kNaN) : cell * file.layout.scale;
  const bool as_read = file.format == Format::kEnvi && !file.layout.parameters.empty();
  const std::string interleave = as_read ? file.layout.parameters : "bip";
  std::vector<Index> shape = shape_of(file);
  if (shape.size() == 2) shape.push_back(1);
  if (interleave != "bip") {
    const Strides stride = strides_of(interleave, shape[0], shape[1], shape[2]);
    const std::vector<double> ordered = std::move(*cells);
    cells->assign(ordered.size(), 0.0);
    std::size_t from = 0;
    for (std::size_t i = 0; i < shape[0]; ++i)
      for (std::size_t j = 0; j < shape[1]; ++j)
        for (std::size_t b = 0; b < shape[2]; ++b)
          (*cells)[i * stride.row + j * stride.column + b * stride.band] = ordered[from++];
  }
  Bytes bytes(cells->size() * dtype.size);
  if (const auto misfit = encode_numbers(dtype, cells->data(), cells->size(), bytes.data()))
    return output_error(
        path, fmt::format("number {} of the cube has no value that type {} can hold, and the header no "
                          "'data ignore value'",
                          *misfit + 1, dtype_text(dtype)));
  describe(file, dtype, interleave, header);
  OutputsTogether pair;
  if (auto written = write_whole(paths.raw, bytes.data(), bytes.size()); !written) return written;
  const std::string text = header.text();
  if (auto written = write_whole(paths.header, text.data(), text.size()); !written) return written;
  return pair.commit();
}

}  // namespace lacuna::io
