// SPDX-License-Identifier: MIT
// A MATLAB matrix whose rows are entries.
#include "io/matlab/mat_list.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>

#include "io/array/dense.hpp"
#include "io/text/index_lines.hpp"

namespace lacuna::io {
namespace {

struct Columns {
  std::vector<std::size_t> modes;    // 0-based
  std::optional<std::size_t> value;  // none: cells without values
};

Result<std::size_t> column_number(const char* option, const std::string& text, std::size_t columns) {
  std::uint64_t number = 0;
  if (!parse_index(text, number) || number < 1 || number > columns) {
    return usage_error(
        option, fmt::format("found {}, expected a column number from 1 to {}: a .mat array has no column "
                            "names",
                            quoted(text), columns));
  }
  return static_cast<std::size_t>(number - 1);
}

Result<Columns> choose_columns(const std::string& path, std::size_t columns, const ReadOptions& options) {
  Columns out;
  std::vector<char> taken(columns, 0);
  const auto take = [&](std::size_t column) { return std::exchange(taken[column], 1) != 0; };
  for (const std::string& text : options.columns) {
    const auto column = column_number("columns", text, columns);
    if (!column) return column.error();
    if (take(*column)) return usage_error("columns", fmt::format("column {} is named twice", *column + 1));
    out.modes.push_back(*column);
  }
  const std::size_t order = options.known_modes == nullptr ? 0 : options.known_modes->size();
  const bool without_values =
      order > 0 && (out.modes.empty() ? columns == order : out.modes.size() == columns);
  if (!options.value_column.empty()) {
    const auto column = column_number("value-column", options.value_column, columns);
    if (!column) return column.error();
    if (take(*column)) return usage_error("value-column", fmt::format("column {} is a mode", *column + 1));
    out.value = *column;
  } else if (!without_values) {
    std::size_t last = columns;
    while (last > 0 && taken[last - 1] != 0) --last;
    if (last == 0)
      return input_error(path, fmt::format("found {} columns, expected one more for the values", columns));
    taken[last - 1] = 1;
    out.value = last - 1;
  }
  if (options.columns.empty()) {
    for (std::size_t column = 0; column < columns; ++column) {
      if (taken[column] == 0) out.modes.push_back(column);
    }
  }
  if (out.modes.size() < 2) {
    return input_error(path, fmt::format("found {} columns of indices, but a tensor needs at least 2 modes",
                                         out.modes.size()));
  }
  if (order > 0 && out.modes.size() != order) {
    return input_error(path, fmt::format("found {} modes, expected the model's {}", out.modes.size(), order));
  }
  return out;
}

// The column's numbers, as they stand, in `index`. An error unless they are whole and from `smallest` to
// `largest`.
Result<> take_indices(const std::string& path, const double* number, std::size_t rows, std::size_t column,
                      std::uint64_t smallest, std::uint64_t largest, std::vector<Index>& index) {
  index.resize(rows);
  const auto low = static_cast<double>(smallest);
  const auto high = static_cast<double>(largest);
  for (std::size_t e = 0; e < rows; ++e) {
    if (!(number[e] >= low && number[e] <= high) || number[e] != std::floor(number[e])) {
      return input_error(
          fmt::format("{}:{}:{}", path, e + 1, column + 1),
          fmt::format("found {}, expected an index from {} to {}", number[e], smallest, largest));
    }
    index[e] = static_cast<Index>(number[e]);
  }
  return Nothing{};
}

Result<> take_values(const std::string& path, const double* number, std::size_t column,
                     std::vector<double>& value) {
  for (std::size_t e = 0; e < value.size(); ++e) {
    if (std::isinf(number[e])) {
      return input_error(fmt::format("{}:{}:{}", path, e + 1, column + 1),
                         fmt::format("found {}, expected a finite number", number[e]));
    }
    value[e] = number[e];
  }
  return Nothing{};
}

bool has_zero(const std::vector<std::size_t>& modes, const double* number, std::size_t rows) {
  return std::any_of(modes.begin(), modes.end(), [&](std::size_t column) {
    return std::find(number + column * rows, number + (column + 1) * rows, 0.0) !=
           number + (column + 1) * rows;
  });
}

}  // namespace

Result<TensorFile> mat_list(const std::string& path, const MatContent& content, const ReadOptions& options) {
  const std::vector<std::uint64_t>& shape = content.variable.shape;
  if (shape.size() != 2) {
    return input_error(path, fmt::format("found '{}' of {}, expected a matrix with a column for each mode",
                                         content.variable.name, shape_text(shape)));
  }
  if (!options.bins.empty())
    return usage_error("bins", fmt::format("{} is no table: its indices cannot be binned", path));
  if (!options.mask.empty()) {
    return usage_error("mask",
                       fmt::format("{} lists its cells, and a mask needs a picture or a dense array", path));
  }
  const std::size_t rows = shape[0];
  const double* const number = content.value.data();
  const auto columns = choose_columns(path, shape[1], options);
  if (!columns) return columns.error();

  TensorFile file;
  file.format = Format::kMat;
  file.index_base = options.known_modes != nullptr
                        ? known_base(options)
                        : options.index_base.value_or(has_zero(columns->modes, number, rows) ? 0 : 1);
  const auto rules =
      index_line_rules(path, options, file.index_base, static_cast<int>(columns->modes.size()));
  if (!rules) return rules.error();
  std::vector<std::vector<Index>> positions(columns->modes.size());
  for (std::size_t k = 0; k < columns->modes.size(); ++k) {
    const std::size_t column = columns->modes[k];
    auto taken = take_indices(path, number + column * rows, rows, column, rules->smallest, rules->largest[k],
                              positions[k]);
    if (!taken) return taken.error();
  }
  file.entries.cells = std::move(positions);
  file.entries.value.assign(rows, std::numeric_limits<double>::quiet_NaN());
  if (columns->value) {
    auto taken = take_values(path, number + *columns->value * rows, *columns->value, file.entries.value);
    if (!taken) return taken.error();
  }
  settle_positions(options, file);
  return file;
}

}  // namespace lacuna::io
