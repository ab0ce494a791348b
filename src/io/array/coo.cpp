// SPDX-License-Identifier: MIT
// Lists of cells as array formats store them -> a sparse TensorFile.
#include "io/array/coo.hpp"

#include <fmt/format.h>

#include <cmath>

#include "io/array/dense.hpp"
#include "io/text/index_lines.hpp"

namespace lacuna::io {
namespace {

// "(3, 4)": the cell of entry e.
std::string entry_cell(const Entries& entries, std::size_t e, int base) {
  std::vector<std::uint64_t> cell;
  for (int k = 0; k < entries.order(); ++k)
    cell.push_back(std::uint64_t{entries.cells.mode(k)[e]} + static_cast<unsigned>(base));
  return fmt::format("({})", fmt::join(cell, ", "));
}

Result<> check_entries(const std::string& path, const CooList& list, const std::vector<Index>& shape) {
  const Entries& entries = list.entries;
  for (int k = 0; k < entries.order(); ++k) {
    for (std::size_t e = 0; e < entries.value.size(); ++e) {
      if (shape.empty() || entries.cells[k][e] < shape[k]) continue;
      return input_error(
          path, fmt::format("found entry {} at cell {}, counted from {}, outside the shape {}", e + 1,
                            entry_cell(entries, e, list.index_base), list.index_base, shape_text(shape)));
    }
  }
  for (std::size_t e = 0; e < entries.value.size(); ++e) {
    if (!std::isinf(entries.value[e])) continue;
    return input_error(
        path, fmt::format("found {} in cell {}, counted from {}, expected a finite number or NaN",
                          entries.value[e], entry_cell(entries, e, list.index_base), list.index_base));
  }
  return Nothing{};
}

}  // namespace

Result<TensorFile> coo_file(const std::string& path, CooList list, const ReadOptions& options) {
  if (!options.mask.empty()) {
    return usage_error("mask",
                       fmt::format("{} lists its cells, and a mask needs a picture or a dense array", path));
  }
  const bool known = options.known_modes != nullptr;
  const std::size_t order = list.shape.size();
  if (order < 2)
    return input_error(path, fmt::format("found {} modes, but a tensor needs at least 2 modes", order));
  if (auto fine = check_order(path, order); !fine) return fine.error();
  if (known && options.known_modes->size() != order) {
    return input_error(
        path, fmt::format("found {} modes, expected the model's {}", order, options.known_modes->size()));
  }
  ReadOptions sized = options;
  if (sized.shape.empty()) {
    for (const std::uint64_t size : list.shape) {
      if (size == 0 || size > kLargestSize) {
        return input_error(path, fmt::format("found the shape {}, expected sizes from 1 to {}",
                                             shape_text(list.shape), kLargestSize));
      }
      sized.shape.push_back(static_cast<Index>(size));
    }
  } else if (sized.shape.size() != order) {
    return input_error(
        path, fmt::format("found {} modes, expected the {} that the shape has", order, sized.shape.size()));
  }
  if (auto fine = check_entries(path, list, known ? std::vector<Index>{} : sized.shape); !fine)
    return fine.error();
  TensorFile file;
  file.format = list.format;
  file.entries = std::move(list.entries);
  file.index_base = 0;  // what the positions are in now
  settle_positions(sized, file);
  file.index_base = list.index_base;
  return file;
}

}  // namespace lacuna::io
