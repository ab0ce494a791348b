// SPDX-License-Identifier: MIT
// What a MATLAB file holds, whichever of its layouts it has: the variables, and one of them loaded.
#pragma once

#include <cstdint>
#include <lacuna/io/files.hpp>
#include <string>
#include <vector>

#include "io/file/byte_file.hpp"

namespace lacuna::io {

enum class MatKind { kDense, kSparse, kOther };

struct MatVariable {
  std::string name;  // "data.Y" for a field of a struct
  std::string type;  // MATLAB's word for it: "double", "logical", "struct"
  MatKind kind = MatKind::kOther;
  bool complex = false;
  std::vector<std::uint64_t> shape;
  std::string dtype;  // of a dense one: "<f8"
};

struct MatContent {
  MatVariable variable;
  std::vector<double> value;  // dense: first mode fastest; sparse: as stored, column by column
  // Sparse: the row of each value, and where each column's values start (one more than there are columns).
  std::vector<std::uint64_t> row;
  std::vector<std::uint64_t> column_start;
};

// Classes by their number in the file, which version 5 and libmatio share.
struct MatClass {
  const char* type;
  MatKind kind;
  const char* dtype;
};
[[nodiscard]] MatClass mat_class(unsigned number);
inline constexpr unsigned kMatStruct = 2;
inline constexpr unsigned kMatSparse = 5;

// A variable of the class `number`; logical ones are stored as another class and say so by a flag.
[[nodiscard]] MatVariable make_mat_variable(std::string name, unsigned number, bool logical, bool complex,
                                            std::vector<std::uint64_t> shape);

// An error unless the variable is a real array of numbers with at least one cell that fits in memory.
Result<> check_loadable(const std::string& path, const MatVariable& variable);

// "data.Y" -> {"data", "Y"}
[[nodiscard]] std::vector<std::string> split_dotted(const std::string& name);

}  // namespace lacuna::io
