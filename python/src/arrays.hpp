// SPDX-License-Identifier: MIT
// Arrays from and to Python: any kind of number, any order in memory, read-only or not.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <lacuna/tensor/tensor.hpp>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace lacuna::python {

namespace nb = nanobind;

using Array = nb::ndarray<nb::ro, nb::device::cpu>;
template <class T>
using NumpyVector = nb::ndarray<nb::numpy, T, nb::ndim<1>>;
using NumpyMatrix = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

// Calls visit(T{}) with the type of the array's numbers; throws std::invalid_argument, which names the argument, when
// they are none that C has (half floats and numbers of another byte order are converted in Python before).
template <class Visit>
void with_type_of(const Array& array, std::string_view argument, Visit&& visit) {
  using Code = nb::dlpack::dtype_code;
  const auto code = static_cast<Code>(array.dtype().code);
  const int bits = array.dtype().bits;
  if (code == Code::Float && bits == 64) return visit(double{});
  if (code == Code::Float && bits == 32) return visit(float{});
  if (code == Code::Bool && bits == 8) return visit(bool{});
  if (code == Code::Int && bits == 8) return visit(std::int8_t{});
  if (code == Code::Int && bits == 16) return visit(std::int16_t{});
  if (code == Code::Int && bits == 32) return visit(std::int32_t{});
  if (code == Code::Int && bits == 64) return visit(std::int64_t{});
  if (code == Code::UInt && bits == 8) return visit(std::uint8_t{});
  if (code == Code::UInt && bits == 16) return visit(std::uint16_t{});
  if (code == Code::UInt && bits == 32) return visit(std::uint32_t{});
  if (code == Code::UInt && bits == 64) return visit(std::uint64_t{});
  throw std::invalid_argument(std::string(argument) + ": found an array of another type, expected numbers");
}

// The rows of the last axis, in C order: row(first element, step between elements, position of the row).
template <class T, class Row>
void for_each_row(const Array& array, Row&& row) {
  const std::size_t order = array.ndim();
  for (std::size_t k = 0; k < order; ++k)
    if (array.shape(k) == 0) return;
  std::vector<std::size_t> position(order, 0);
  const T* first = static_cast<const T*>(array.data());
  if (order == 0) return row(first, std::int64_t{1}, position);
  for (;;) {
    row(first, array.stride(order - 1), position);
    std::size_t k = order - 1;
    for (; k-- > 0;) {  // the next row: count the axes before the last one up
      first += array.stride(k);
      if (++position[k] < array.shape(k)) break;
      first -= array.stride(k) * static_cast<std::int64_t>(array.shape(k));
      position[k] = 0;
    }
    if (k == static_cast<std::size_t>(-1)) return;
  }
}

// All numbers, in C order. Errors name the argument.
[[nodiscard]] std::vector<double> numbers_in(const Array& array, std::string_view argument);
// Whole numbers from 0 to below kUnseen, of an array with one axis.
[[nodiscard]] std::vector<Index> indices_in(const Array& array, std::string_view argument);
// One array for each mode, all of the same length.
[[nodiscard]] Cells cells_in(const std::vector<Array>& coords, std::string_view argument);

// The vector as a NumPy array that owns it.
template <class T>
NumpyVector<T> owned(std::vector<T> numbers) {
  auto kept = std::make_unique<std::vector<T>>(std::move(numbers));
  T* const data = kept->data();
  const std::size_t size = kept->size();
  nb::capsule owner(kept.release(), [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return NumpyVector<T>(data, {size}, owner);
}
template <class T>
NumpyVector<T> copied(std::span<const T> numbers) {
  return owned(std::vector<T>(numbers.begin(), numbers.end()));
}
// From a matrix in any order, row by row.
template <class Matrix>
NumpyMatrix matrix_of(const Matrix& matrix) {
  const auto rows = static_cast<std::size_t>(matrix.rows());
  const auto columns = static_cast<std::size_t>(matrix.cols());
  auto kept = std::make_unique<double[]>(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      kept[i * columns + j] = matrix(static_cast<Index>(i), static_cast<Index>(j));
  double* const data = kept.get();
  nb::capsule owner(kept.release(), [](void* p) noexcept { delete[] static_cast<double*>(p); });
  return NumpyMatrix(data, {rows, columns}, owner);
}

}  // namespace lacuna::python
