// SPDX-License-Identifier: MIT
// Writing MATLAB files: version 7 (packed version 5), or 7.3 for an array beyond 2 GB.
#include "io/matlab/mat_write.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <numeric>

#include "io/array/dense.hpp"
#include "io/file/atomic_file.hpp"
#include "io/file/inflate.hpp"
#include "io/matlab/mat_child.hpp"

namespace lacuna::io {
namespace {

constexpr std::uint64_t kLargestVersion5 = std::uint64_t{1} << 31;  // bytes of one variable
constexpr std::size_t kLongestName = 63;

struct ClassAndType {
  unsigned number = 6;   // MATLAB's class
  unsigned element = 9;  // how its numbers are stored
};

ClassAndType class_of(const Dtype& dtype) {
  if (dtype.is_float()) return dtype.size == 8 ? ClassAndType{6, 9} : ClassAndType{7, 7};
  if (dtype.kind == 'b') return {9, 2};
  const unsigned is_unsigned = dtype.kind == 'u' ? 1 : 0;
  switch (dtype.size) {
    case 1:
      return {8 + is_unsigned, 1 + is_unsigned};
    case 2:
      return {10 + is_unsigned, 3 + is_unsigned};
    case 4:
      return {12 + is_unsigned, 5 + is_unsigned};
    default:
      return {14 + is_unsigned, 12 + is_unsigned};
  }
}

// The layout's name, of "data.Y" the last part; "data" where MATLAB could not use it.
std::string variable_name(const DenseLayout& layout) {
  const std::string name = split_dotted(layout.variable).back();
  const auto is_word = [](unsigned char c) { return std::isalnum(c) != 0 || c == '_'; };
  const bool fine = !name.empty() && name.size() <= kLongestName &&
                    std::isalpha(static_cast<unsigned char>(name[0])) != 0 &&
                    std::all_of(name.begin(), name.end(), is_word);
  return fine ? name : "data";
}

void append_element(Bytes& out, std::uint32_t type, const Bytes& data) {
  append_number(out, type, 4);
  append_number(out, data.size(), 4);
  out.insert(out.end(), data.begin(), data.end());
  out.resize((out.size() + 7) / 8 * 8);
}

// Flags, sizes and name: what every variable starts with.
Bytes matrix_start(const std::string& name, const std::vector<Index>& shape, unsigned number, bool logical,
                   std::size_t most_entries) {
  Bytes flags;
  append_number(flags, number | (logical ? 0x0200U : 0U), 4);
  append_number(flags, most_entries, 4);
  Bytes sizes;
  for (const Index size : shape) append_number(sizes, size, 4);
  Bytes out;
  append_element(out, 6, flags);
  append_element(out, 5, sizes);
  append_element(out, 1, Bytes(name.begin(), name.end()));
  return out;
}

// `numbers` complete the variable that `start` begins.
Result<> write_version5(const std::string& path, const Bytes& start,
                        const std::vector<const Bytes*>& numbers) {
  auto out = AtomicFile::create(path);
  if (!out) return out.error();
  std::string header = "MATLAB 5.0 MAT-file, written by lacuna";
  header.resize(116, ' ');
  header.append(8, '\0');          // no subsystem data
  header.append("\x00\x01IM", 4);  // version and byte order
  out->write(header);
  std::vector<const Bytes*> pieces;
  std::uint64_t length = start.size();
  for (const Bytes* piece : numbers) length += piece->size();
  Bytes tag;
  append_number(tag, 14, 4);
  append_number(tag, length, 4);
  pieces = {&tag, &start};
  pieces.insert(pieces.end(), numbers.begin(), numbers.end());
  const Bytes packed = deflate_bytes(pieces);
  Bytes outer;
  append_number(outer, 15, 4);
  append_number(outer, packed.size(), 4);
  out->write(outer.data(), outer.size());
  out->write(packed.data(), packed.size());
  return out->commit();
}

Result<> write_dense(const std::string& path, const TensorFile& file) {
  DenseLayout layout = file.layout;
  const auto dtype = parse_dtype(layout.dtype.empty() ? "<f8" : layout.dtype);
  // MATLAB has no half precision, and version 5 files say once for all numbers that they are little-endian.
  if (dtype) {
    const std::size_t size = dtype->is_float() && dtype->size == 2 ? 4 : dtype->size;
    layout.dtype = dtype_text(Dtype{dtype->kind, size, false});
  }
  auto array = encode_dense(path, file, layout, CellOrder::kFirstFastest);
  if (!array) return array.error();
  const std::string name = variable_name(layout);
  const std::vector<Index> shape = shape_of(file);
  const bool logical = array->dtype.kind == 'b';
  const ClassAndType matlab = class_of(array->dtype);
  const bool small_sizes =
      std::all_of(shape.begin(), shape.end(), [](Index n) { return n < kLargestVersion5; });
  if (array->bytes.size() >= kLargestVersion5 - 4096 || !small_sizes) {
    const std::vector<std::uint64_t> sizes(shape.begin(), shape.end());
    return write_mat73(path, make_mat_variable(name, matlab.number, logical, false, sizes), array->bytes);
  }
  Bytes start = matrix_start(name, shape, matlab.number, logical, 0);
  append_number(start, matlab.element, 4);
  append_number(start, array->bytes.size(), 4);
  array->bytes.resize((array->bytes.size() + 7) / 8 * 8);
  return write_version5(path, start, {&array->bytes});
}

// A list of cells of a matrix becomes a MATLAB sparse matrix, in which cells that are not listed are zeros.
Result<> write_sparse(const std::string& path, const TensorFile& file) {
  const Entries& entries = file.entries;
  const std::vector<Index> shape = shape_of(file);
  std::vector<std::size_t> order(entries.value.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto before = [&](std::size_t a, std::size_t b) {
    return std::pair(entries.cells[1][a], entries.cells[0][a]) <
           std::pair(entries.cells[1][b], entries.cells[0][b]);
  };
  std::sort(order.begin(), order.end(), before);
  Bytes rows;
  Bytes starts;
  std::vector<double> value;
  std::vector<std::uint32_t> per_column(std::size_t{shape[1]} + 1, 0);
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::size_t e = order[i];
    for (std::size_t k = 0; k < 2; ++k) {
      if (entries.cells[k][e] < shape[k]) continue;
      return output_error(path, fmt::format("entry {} lies outside mode '{}' of size {}", e + 1,
                                            file.modes[k].name, shape[k]));
    }
    if (std::isinf(entries.value[e])) return output_error(path, fmt::format("entry {} is infinite", e + 1));
    if (i > 0 && !before(order[i - 1], e)) {
      return output_error(path,
                          fmt::format("cell ({}, {}) is listed twice", entries.cells[0][e] + file.index_base,
                                      entries.cells[1][e] + file.index_base));
    }
    append_number(rows, entries.cells[0][e], 4);
    value.push_back(entries.value[e]);
    ++per_column[std::size_t{entries.cells[1][e]} + 1];
  }
  std::partial_sum(per_column.begin(), per_column.end(), per_column.begin());
  for (const std::uint32_t start : per_column) append_number(starts, start, 4);
  Bytes numbers(value.size() * sizeof(double));
  (void)encode_numbers(Dtype{}, value.data(), value.size(), numbers.data());  // a double takes every double
  Bytes all;
  append_element(all, 5, rows);
  append_element(all, 5, starts);
  append_element(all, 9, numbers);
  if (all.size() >= kLargestVersion5 - 4096) {
    return output_error(path,
                        fmt::format("{} entries are more than a sparse .mat file can hold", value.size()));
  }
  // MATLAB wants room for one entry even where there is none.
  const Bytes start = matrix_start(variable_name(file.layout), shape, kMatSparse, false,
                                   std::max<std::size_t>(value.size(), 1));
  return write_version5(path, start, {&all});
}

}  // namespace

Result<> write_mat(const std::string& path, const TensorFile& file) {
  const bool fits = std::all_of(file.modes.begin(), file.modes.end(),
                                [](const Mode& mode) { return mode.size < kLargestVersion5; });
  if (!file.dense && file.modes.size() == 2 && file.entries.order() == 2 && fits)
    return write_sparse(path, file);
  return write_dense(path, file);
}

}  // namespace lacuna::io
