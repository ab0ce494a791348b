// SPDX-License-Identifier: MIT
// What MATLAB's layouts share.
#include "io/matlab/mat_variable.hpp"

#include <fmt/format.h>

#include <array>

#include "io/array/dense.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {

MatClass mat_class(unsigned number) {
  constexpr std::array<MatClass, 18> kClasses = {{{"empty", MatKind::kOther, ""},
                                                  {"cell", MatKind::kOther, ""},
                                                  {"struct", MatKind::kOther, ""},
                                                  {"object", MatKind::kOther, ""},
                                                  {"char", MatKind::kOther, ""},
                                                  {"sparse", MatKind::kSparse, ""},
                                                  {"double", MatKind::kDense, "<f8"},
                                                  {"single", MatKind::kDense, "<f4"},
                                                  {"int8", MatKind::kDense, "|i1"},
                                                  {"uint8", MatKind::kDense, "|u1"},
                                                  {"int16", MatKind::kDense, "<i2"},
                                                  {"uint16", MatKind::kDense, "<u2"},
                                                  {"int32", MatKind::kDense, "<i4"},
                                                  {"uint32", MatKind::kDense, "<u4"},
                                                  {"int64", MatKind::kDense, "<i8"},
                                                  {"uint64", MatKind::kDense, "<u8"},
                                                  {"function", MatKind::kOther, ""},
                                                  {"object", MatKind::kOther, ""}}};
  return number < kClasses.size() ? kClasses[number] : MatClass{"unknown", MatKind::kOther, ""};
}

MatVariable make_mat_variable(std::string name, unsigned number, bool logical, bool complex,
                              std::vector<std::uint64_t> shape) {
  const MatClass description = mat_class(number);
  MatVariable out;
  out.name = std::move(name);
  out.type = description.type;
  out.kind = description.kind;
  out.complex = complex;
  out.shape = std::move(shape);
  out.dtype = description.dtype;
  if (logical && out.kind == MatKind::kDense) {
    out.type = "logical";
    out.dtype = "|b1";
  }
  return out;
}

Result<> check_loadable(const std::string& path, const MatVariable& variable) {
  if (variable.kind == MatKind::kOther) {
    return input_error(path, fmt::format("found {} to be of type {}, expected numbers", quoted(variable.name),
                                         variable.type));
  }
  if (variable.complex) {
    return input_error(path,
                       fmt::format("found {} to be complex, expected real numbers", quoted(variable.name)));
  }
  const auto shape = checked_shape(path, variable.shape);
  if (!shape) return shape.error();
  if (variable.kind == MatKind::kSparse) return Nothing{};
  return check_reading_memory(path, *shape);
}

std::vector<std::string> split_dotted(const std::string& name) {
  std::vector<std::string> out;
  std::size_t start = 0;
  for (;;) {
    const std::size_t dot = name.find('.', start);
    out.push_back(name.substr(start, dot - start));
    if (dot == std::string::npos) return out;
    start = dot + 1;
  }
}

}  // namespace lacuna::io
