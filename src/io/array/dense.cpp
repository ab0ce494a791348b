// SPDX-License-Identifier: MIT
// A full array of doubles <-> a TensorFile that lists every cell.
#include "io/array/dense.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <utility>

#include "base/machine.hpp"
#include "io/picture/mask.hpp"
#include "io/text/index_lines.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

constexpr std::size_t kTile = 32;  // 32 x 32 doubles are read and written within the first cache
// What a machine allows is read from half a dozen files: that takes longer than so few bytes do.
constexpr double kNotWorthAsking = 1 << 20;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <class Size>
std::string joined(const std::vector<Size>& shape) {
  return shape.empty() ? "()" : fmt::format("{}", fmt::join(shape, " x "));
}

// 0 .. n_k - 1, each repeated over the modes after k, all of it over the modes before.
std::vector<Index> positions_along(const std::vector<Index>& shape, std::size_t mode, std::size_t cells) {
  std::size_t inner = 1;
  for (std::size_t k = mode + 1; k < shape.size(); ++k) inner *= shape[k];
  std::vector<Index> out(cells);
  const std::size_t period = inner * shape[mode];
  for (std::size_t i = 0; i < shape[mode]; ++i) {
    std::fill_n(out.begin() + static_cast<std::ptrdiff_t>(i * inner), inner, static_cast<Index>(i));
  }
  for (std::size_t start = period; start < cells; start += period) {
    std::copy_n(out.begin(), period, out.begin() + static_cast<std::ptrdiff_t>(start));
  }
  return out;
}

void blank_missing_value(DenseArray& array, double missing) {
  for (std::size_t start = 0; start < array.value.size(); start += array.group) {
    double* const cell = array.value.data() + start;
    const bool all = std::all_of(cell, cell + array.group, [&](double v) {
      return v == missing || std::fabs(v - missing) < array.tolerance;
    });
    if (all) std::fill_n(cell, array.group, kNaN);
  }
}

Result<> check_against_options(const std::string& path, const std::vector<Index>& shape,
                               const ReadOptions& options) {
  if (options.known_modes != nullptr && options.known_modes->size() != shape.size()) {
    return input_error(path, fmt::format("found {} modes, expected the model's {}", shape.size(),
                                         options.known_modes->size()));
  }
  if (options.known_modes == nullptr && !options.shape.empty() && options.shape != shape) {
    return input_error(
        path, fmt::format("found an array of {}, expected {}", joined(shape), joined(options.shape)));
  }
  return Nothing{};
}

// Where both have positions these say which index of the model's each of the file's is; those at new ones come after
// the model's own.
void match_positions(const Mode& known, const Mode& found, std::span<Index> index, Mode& out) {
  std::map<double, Index> at;
  for (std::size_t i = 0; i < known.positions.size(); ++i)
    at.emplace(known.positions[i], static_cast<Index>(i));
  std::vector<Index> to;
  for (const double position : found.positions) {
    const auto next = static_cast<Index>(out.positions.size());
    const auto [place, is_new] = at.emplace(position, next);
    if (is_new) out.positions.push_back(position);
    to.push_back(place->second);
  }
  out.size = static_cast<Index>(out.positions.size());
  for (Index& i : index) i = to[i];
}

// The cells speak of a fitted model's modes, which grow to hold what lies beyond them.
void adopt_known_modes(TensorFile& file, const std::vector<Mode>& known) {
  const std::vector<Mode> found = std::exchange(file.modes, known);
  for (std::size_t k = 0; k < known.size(); ++k) {
    const bool placed = known[k].positions.size() == known[k].size && !found[k].positions.empty();
    if (placed && found[k].positions != known[k].positions) {
      match_positions(known[k], found[k], file.entries.cells[k], file.modes[k]);
      file.dense = false;
      continue;
    }
    file.dense = file.dense && found[k].size >= known[k].size;
    grow(file.modes[k], file.entries.cells[k]);
  }
}

}  // namespace

Error memory_error(std::string where, std::string what) {
  return {ErrorKind::kMemory, std::move(where), std::move(what)};
}

std::string shape_text(const std::vector<std::uint64_t>& shape) { return joined(shape); }
std::string shape_text(const std::vector<Index>& shape) { return joined(shape); }

std::string cell_text(const std::vector<Index>& shape, std::uint64_t position, int base) {
  std::vector<std::uint64_t> index(shape.size());
  for (std::size_t k = shape.size(); k-- > 0;) {
    index[k] = position % shape[k] + static_cast<std::uint64_t>(base);
    position /= shape[k];
  }
  return fmt::format("({})", fmt::join(index, ", "));
}

Result<std::vector<Index>> checked_shape(const std::string& path, const std::vector<std::uint64_t>& sizes) {
  if (sizes.size() < 2) {
    return input_error(path,
                       fmt::format("found a {}-d array, but a tensor needs at least 2 modes", sizes.size()));
  }
  if (auto fine = check_order(path, sizes.size()); !fine) return fine.error();
  std::uint64_t cells = 1;
  for (const std::uint64_t size : sizes) {
    if (size == 0 || size > kLargestSize) {
      return input_error(path, fmt::format("found an array of {}, expected sizes from 1 to {}", joined(sizes),
                                           kLargestSize));
    }
    if (__builtin_mul_overflow(cells, size, &cells) ||
        cells > std::numeric_limits<std::int64_t>::max() / 512) {
      return memory_error(
          path, fmt::format("found an array of {}, more cells than a machine can hold", joined(sizes)));
    }
  }
  std::vector<Index> shape;
  for (const std::uint64_t size : sizes) shape.push_back(static_cast<Index>(size));
  return shape;
}

std::size_t cells_of(const std::vector<Index>& shape) {
  std::size_t cells = 1;
  for (const Index size : shape) cells *= size;
  return cells;
}

Result<> check_memory(const std::string& path, std::uint64_t cells, std::uint64_t bytes_per_cell) {
  const double needed = static_cast<double>(cells) * static_cast<double>(bytes_per_cell);
  if (needed <= kNotWorthAsking) return Nothing{};
  if (auto fits = lacuna::check_memory(needed, fmt::format("what has {} cells", cells)); !fits)
    return memory_error(path, fits.error().what);
  return Nothing{};
}

Result<> check_reading_memory(const std::string& path, const std::vector<Index>& shape) {
  return check_memory(path, cells_of(shape), sizeof(double) + sizeof(Index) * shape.size());
}

std::vector<double> reverse_modes(const std::vector<double>& value, const std::vector<Index>& shape) {
  const std::size_t first = shape.front();
  const std::size_t last = shape.back();
  const std::size_t middle = value.size() / (first * last);
  std::vector<double> out(value.size());
  std::vector<Index> index(shape.size(), 0);  // of the middle modes
  for (std::size_t from = 0; from < middle; ++from) {
    std::size_t to = 0;  // the same middle cell, first middle mode fastest
    for (std::size_t k = shape.size() - 1; k-- > 1;) to = to * shape[k] + index[k];
    // out[l, to, f] = value[f, from, l], tile by tile
    for (std::size_t f0 = 0; f0 < first; f0 += kTile) {
      for (std::size_t l0 = 0; l0 < last; l0 += kTile) {
        for (std::size_t l = l0; l < std::min(l0 + kTile, last); ++l) {
          for (std::size_t f = f0; f < std::min(f0 + kTile, first); ++f) {
            out[(l * middle + to) * first + f] = value[(f * middle + from) * last + l];
          }
        }
      }
    }
    for (std::size_t k = shape.size() - 1; k-- > 1;) {
      if (++index[k] < shape[k]) break;
      index[k] = 0;
    }
  }
  return out;
}

std::vector<double> last_mode_fastest(const std::vector<double>& first_mode_fastest,
                                      std::vector<Index> shape) {
  std::reverse(shape.begin(), shape.end());
  return reverse_modes(first_mode_fastest, shape);
}

namespace {

Error infinite_cell(const std::string& path, double value, const DenseArray& array, std::uint64_t position) {
  return input_error(
      path, fmt::format("found {} in cell {}, counted from {}, expected a finite number or NaN", value,
                        cell_text(array.shape, position, array.index_base), array.index_base));
}

// Positions that fall all along are as good as those that rise; others are rarely meant.
void tell_descent(const std::string& path, const Mode& mode, std::vector<std::string>& notes) {
  const std::vector<double>& along = mode.positions;
  if (std::is_sorted(along.begin(), along.end()) || std::is_sorted(along.rbegin(), along.rend())) return;
  const auto fall = std::is_sorted_until(along.begin(), along.end());
  notes.push_back(fmt::format(
      "{}: the position {} of mode '{}' comes after {}: neighbours are taken by position, not by index", path,
      *fall, mode.name, *(fall - 1)));
}

}  // namespace

Result<TensorFile> dense_file(const std::string& path, DenseArray array, const ReadOptions& options) {
  if (auto fine = check_against_options(path, array.shape, options); !fine) return fine.error();
  if (options.missing_value) blank_missing_value(array, *options.missing_value);
  if (!options.mask.empty()) {
    if (auto masked = apply_mask(path, array.shape, options, array.value); !masked) return masked.error();
  }
  TensorFile file;
  file.format = array.format;
  file.index_base = array.index_base;
  file.dense = true;
  file.layout = std::move(array.layout);
  for (std::size_t e = 0; e < array.value.size(); ++e) {
    if (std::isnan(array.value[e])) ++file.missing;
    if (std::isinf(array.value[e])) {
      return infinite_cell(path, array.value[e], array, e);
    }
  }
  file.entries.value = std::move(array.value);
  std::vector<std::vector<Index>> positions;
  for (std::size_t k = 0; k < array.shape.size(); ++k) {
    const bool named = k < array.mode_names.size();
    file.modes.push_back(
        {.name = named ? array.mode_names[k] : fmt::format("mode{}", k + 1), .size = array.shape[k]});
    if (k < array.positions.size()) file.modes[k].positions = std::move(array.positions[k]);
    if (k < array.units.size()) file.modes[k].unit = array.units[k];
    positions.push_back(positions_along(array.shape, k, file.entries.value.size()));
  }
  file.notes = std::move(array.notes);
  for (std::size_t k = 0; k < array.shape.size(); ++k) tell_descent(path, file.modes[k], file.notes);
  for (const int k : array.in_order)
    if (k < static_cast<int>(file.modes.size())) file.modes[static_cast<std::size_t>(k)].in_order = true;
  file.entries.cells = std::move(positions);
  if (options.known_modes != nullptr) adopt_known_modes(file, *options.known_modes);
  return file;
}

Result<TensorFile> dense_stretch(const std::string& path, DenseArray array, std::uint64_t begin,
                                 const ReadOptions& options) {
  if (auto fine = check_against_options(path, array.shape, options); !fine) return fine.error();
  if (options.missing_value) blank_missing_value(array, *options.missing_value);
  TensorFile file;
  file.format = array.format;
  file.index_base = array.index_base;
  file.dense = true;
  file.layout = std::move(array.layout);
  file.entries.value = std::move(array.value);
  file.missing = count_missing(file.entries);
  const std::size_t order = array.shape.size();
  std::vector<std::vector<Index>> positions(order, std::vector<Index>(file.entries.value.size()));
  for (std::size_t e = 0; e < file.entries.value.size(); ++e) {
    std::uint64_t rest = begin + e;
    for (std::size_t i = 0; i < order; ++i) {
      const std::size_t k = file.layout.fortran_order ? i : order - 1 - i;
      positions[k][e] = static_cast<Index>(rest % array.shape[k]);
      rest /= array.shape[k];
    }
    if (!std::isinf(file.entries.value[e])) continue;
    std::uint64_t place = 0;
    for (std::size_t k = 0; k < order; ++k) place = place * array.shape[k] + positions[k][e];
    return infinite_cell(path, file.entries.value[e], array, place);
  }
  for (std::size_t k = 0; k < order; ++k)
    file.modes.push_back({.name = fmt::format("mode{}", k + 1), .size = array.shape[k]});
  file.entries.cells = std::move(positions);
  return file;
}

std::vector<Index> shape_of(const TensorFile& file) {
  std::vector<Index> shape;
  for (const Mode& mode : file.modes) shape.push_back(mode.size);
  return shape;
}

Result<std::vector<double>> dense_cells(const std::string& path, const TensorFile& file) {
  const Entries& entries = file.entries;
  if (entries.order() != static_cast<int>(file.modes.size()))
    throw std::invalid_argument("entries and modes differ in order");
  std::vector<std::uint64_t> sizes;
  for (const Mode& mode : file.modes) sizes.push_back(mode.size);
  const auto shape = checked_shape(path, sizes);
  if (!shape) {
    const Error& error = shape.error();
    return error.kind == ErrorKind::kInput ? output_error(path, error.what) : error;
  }
  if (auto fits = check_memory(path, cells_of(*shape), sizeof(double)); !fits) {
    return memory_error(path,
                        fits.error().what + "; .npz and text formats list only the cells that have values");
  }
  std::vector<double> cells(cells_of(*shape), kNaN);
  for (std::size_t e = 0; e < entries.value.size(); ++e) {
    std::size_t position = 0;
    for (std::size_t k = 0; k < shape->size(); ++k) {
      const Index i = entries.cells[k][e];
      if (i >= (*shape)[k]) {
        return output_error(path, fmt::format("entry {} lies outside mode '{}' of size {}", e + 1,
                                              file.modes[k].name, (*shape)[k]));
      }
      position = position * (*shape)[k] + i;
    }
    const auto cell = [&] { return cell_text(*shape, position, file.index_base); };
    if (std::isinf(entries.value[e])) return output_error(path, fmt::format("cell {} is infinite", cell()));
    if (!std::isnan(cells[position]))
      return output_error(path, fmt::format("cell {} is listed twice", cell()));
    cells[position] = entries.value[e];
  }
  return cells;
}

Result<EncodedArray> encode_dense(const std::string& path, const TensorFile& file, const DenseLayout& layout,
                                  CellOrder order) {
  const auto dtype = parse_dtype(layout.dtype.empty() ? "<f8" : layout.dtype);
  if (!dtype) {
    return output_error(path,
                        fmt::format("found the number type '{}', expected one such as '<f8'", layout.dtype));
  }
  auto cells = dense_cells(path, file);
  if (!cells) return cells.error();
  const std::vector<Index> shape = shape_of(file);
  const auto misfit_error = [&](std::size_t position) {
    const std::string cell = cell_text(shape, position, file.index_base);
    if (std::isnan((*cells)[position])) {
      return output_error(path, fmt::format("cell {} has no value, and numbers of type {} cannot be NaN",
                                            cell, dtype_text(*dtype)));
    }
    return output_error(path, fmt::format("cell {} is {}, too large for numbers of type {}", cell,
                                          (*cells)[position], dtype_text(*dtype)));
  };
  if (layout.scale != 1.0) {
    for (double& v : *cells) v *= layout.scale;
  }
  EncodedArray out{*dtype, Bytes(cells->size() * dtype->size)};
  if (order == CellOrder::kFirstFastest) {
    const std::vector<double> turned = reverse_modes(*cells, shape);
    if (!encode_numbers(*dtype, turned.data(), turned.size(), out.bytes.data())) return out;
    // Something does not fit: the other order, below, finds it at its own cell.
  }
  if (const auto misfit = encode_numbers(*dtype, cells->data(), cells->size(), out.bytes.data())) {
    return misfit_error(*misfit);
  }
  return out;
}

}  // namespace lacuna::io
