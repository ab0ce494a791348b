// SPDX-License-Identifier: MIT
// Reading MATLAB files: which variable, and what it means.
#include "io/matlab/mat.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "io/array/coo.hpp"
#include "io/array/dense.hpp"
#include "io/matlab/mat5.hpp"
#include "io/matlab/mat_child.hpp"
#include "io/matlab/mat_list.hpp"
#include "io/matlab/mat_variable.hpp"

namespace lacuna::io {
namespace {

constexpr std::size_t kMostListed = 20;
constexpr int kMatlabBase = 1;

// Everything in MATLAB has two sizes, so scalars and vectors are told from arrays by what exceeds 1.
bool can_be_tensor(const MatVariable& variable) {
  const auto real_modes = std::count_if(variable.shape.begin(), variable.shape.end(),
                                        [](std::uint64_t size) { return size > 1; });
  return variable.kind != MatKind::kOther && !variable.complex && real_modes >= 2;
}

std::string variables_text(const std::vector<MatVariable>& variables) {
  std::vector<std::string> out;
  for (const MatVariable& variable : variables) {
    if (out.size() == kMostListed) {
      out.emplace_back("...");
      break;
    }
    out.push_back(fmt::format("{} ({}{}{})", variable.name, shape_text(variable.shape),
                              variable.complex ? " complex " : " ", variable.type));
  }
  return fmt::format("{}", fmt::join(out, ", "));
}

// The variable asked for, or the only one that can be a tensor.
Result<std::string> choose_variable(const std::string& path, const std::vector<MatVariable>& variables,
                                    const std::string& wanted) {
  if (variables.empty()) return input_error(path, "found no variables");
  std::vector<std::string> fitting;
  for (const MatVariable& variable : variables) {
    if (variable.name == wanted) return wanted;
    if (can_be_tensor(variable)) fitting.push_back(variable.name);
  }
  if (!wanted.empty()) {
    return input_error(
        path, fmt::format("found no variable '{}', expected one of: {}", wanted, variables_text(variables)));
  }
  if (fitting.size() == 1) return fitting.front();
  return input_error(
      path, fmt::format("found {} numeric arrays of at least 2 modes, expected one or the name of one: {}",
                        fitting.size(), variables_text(variables)));
}

Result<TensorFile> sparse_tensor(const std::string& path, MatContent content, const ReadOptions& options) {
  const std::uint64_t rows = content.variable.shape[0];
  const std::uint64_t columns = content.variable.shape[1];
  const std::vector<std::uint64_t>& start = content.column_start;
  const auto damaged = [&](const char* what) {
    return input_error(path,
                       fmt::format("found a damaged sparse matrix '{}': {}", content.variable.name, what));
  };
  if (start.size() != columns + 1 || start.front() != 0 || !std::is_sorted(start.begin(), start.end())) {
    return damaged("its columns do not follow each other");
  }
  const std::size_t count = start.back();
  if (count > content.row.size() || count > content.value.size())
    return damaged("it has fewer numbers than it says");
  CooList list;
  list.format = Format::kMat;
  list.shape = content.variable.shape;
  list.index_base = kMatlabBase;
  list.entries.cells = Cells(2);
  list.entries.cells.reserve(static_cast<Count>(count));
  for (std::size_t c = 0; c < columns; ++c) {
    for (std::size_t e = start[c]; e < start[c + 1]; ++e) {
      if (content.row[e] >= rows) return damaged("a row lies outside it");
      list.entries.cells.add({static_cast<Index>(content.row[e]), static_cast<Index>(c)});
    }
  }
  content.value.resize(count);
  list.entries.value = std::move(content.value);
  return coo_file(path, std::move(list), options);
}

Result<TensorFile> dense_tensor(const std::string& path, MatContent content, const ReadOptions& options) {
  DenseArray array;
  auto shape = checked_shape(path, content.variable.shape);
  if (!shape) return shape.error();
  array.format = Format::kMat;
  array.index_base = kMatlabBase;
  array.shape = std::move(*shape);
  array.value = last_mode_fastest(content.value, array.shape);
  array.layout.dtype = content.variable.dtype;
  array.layout.variable = content.variable.name;
  content.value = {};
  return dense_file(path, std::move(array), options);
}

}  // namespace

Result<TensorFile> read_mat(const std::string& path, const ReadOptions& options) {
  const auto file = ByteFile::open(path);
  if (!file) return file.error();
  const bool ours = is_mat5(*file);
  const auto variables = ours ? list_mat5(*file) : list_mat_child(*file);
  if (!variables) return variables.error();
  const auto name = choose_variable(path, *variables, options.variable);
  if (!name) return name.error();
  const auto chosen = std::find_if(variables->begin(), variables->end(),
                                   [&](const MatVariable& variable) { return variable.name == *name; });
  auto content = ours ? load_mat5(*file, *name) : load_mat_child(*file, *chosen);
  if (!content) return content.error();

  const bool listed = !options.columns.empty() || options.table_indices;
  if (content->variable.kind == MatKind::kSparse) return sparse_tensor(path, std::move(*content), options);
  if (!listed) return dense_tensor(path, std::move(*content), options);
  return mat_list(path, *content, options);
}

}  // namespace lacuna::io
