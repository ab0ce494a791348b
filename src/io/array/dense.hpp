// SPDX-License-Identifier: MIT
// What all dense formats share: a full array of doubles <-> a TensorFile that lists every cell.
#pragma once

#include <cstdint>
#include <lacuna/io/files.hpp>
#include <string>
#include <vector>

#include "io/array/dtype.hpp"
#include "io/file/byte_file.hpp"

namespace lacuna::io {

Error memory_error(std::string where, std::string what);

// "3 x 4 x 5"
[[nodiscard]] std::string shape_text(const std::vector<std::uint64_t>& shape);
[[nodiscard]] std::string shape_text(const std::vector<Index>& shape);

// "(0, 2, 1)": the cell at `position`, last mode fastest, its indices counted from `base`.
[[nodiscard]] std::string cell_text(const std::vector<Index>& shape, std::uint64_t position, int base);

// At least two modes, each of a size an Index can hold, and a number of cells a machine can count.
Result<std::vector<Index>> checked_shape(const std::string& path, const std::vector<std::uint64_t>& sizes);
[[nodiscard]] std::size_t cells_of(const std::vector<Index>& shape);

// A kMemory error when `cells` of `bytes_per_cell` are more than this machine has.
Result<> check_memory(const std::string& path, std::uint64_t cells, std::uint64_t bytes_per_cell);
// The same for reading an array of `shape` as a TensorFile.
Result<> check_reading_memory(const std::string& path, const std::vector<Index>& shape);

// The array with its modes in the opposite order: given one of `shape` with the last mode fastest, the same
// numbers with the first mode fastest. (The other way round: give it the reversed shape.)
[[nodiscard]] std::vector<double> reverse_modes(const std::vector<double>& value,
                                                const std::vector<Index>& shape);
[[nodiscard]] std::vector<double> last_mode_fastest(const std::vector<double>& first_mode_fastest,
                                                    std::vector<Index> shape);

struct DenseArray {
  Format format = Format::kNpy;
  std::vector<Index> shape;
  std::vector<double> value;  // last mode fastest
  DenseLayout layout;
  int index_base = 0;                            // in which the format's users count
  std::vector<std::string> mode_names;           // empty: "mode1", "mode2", ...
  std::vector<std::vector<double>> positions{};  // of each mode, finite and distinct; empty ones have none
  std::vector<std::string> units{};              // of these

  std::vector<std::string> notes{};  // about these
  std::vector<int>
      in_order{};  // modes whose neighbours lie side by side, positions or none: rows and columns of pictures

  // A cell is missing when it and the others of its group all equal options.missing_value, give or take the
  // tolerance. Pictures: the channels of a pixel.
  std::size_t group = 1;
  double tolerance = 0;
};

// Applies the options (missing value, mask, shape, known modes) and lists the cells. An infinite number is an
// error.
Result<TensorFile> dense_file(const std::string& path, DenseArray array, const ReadOptions& options);

// The same of some cells of an array, those from number `begin` of the order that its layout states, without a mask or
// known modes.
Result<TensorFile> dense_stretch(const std::string& path, DenseArray array, std::uint64_t begin,
                                 const ReadOptions& options);

// All cells of `file`, last mode fastest, NaN where it lists none.
Result<std::vector<double>> dense_cells(const std::string& path, const TensorFile& file);

struct EncodedArray {
  Dtype dtype;
  Bytes bytes;
};
enum class CellOrder { kLastFastest, kFirstFastest };

// All cells of `file` in the number type of `layout` (doubles when it names none), times its scale.
Result<EncodedArray> encode_dense(const std::string& path, const TensorFile& file, const DenseLayout& layout,
                                  CellOrder order);

[[nodiscard]] std::vector<Index> shape_of(const TensorFile& file);

}  // namespace lacuna::io
