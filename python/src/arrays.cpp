// SPDX-License-Identifier: MIT
#include "arrays.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <type_traits>

namespace lacuna::python {

std::vector<double> numbers_in(const Array& array, std::string_view argument) {
  std::vector<double> numbers;
  numbers.reserve(array.size());
  with_type_of(array, argument, [&](auto of_type) {
    using T = decltype(of_type);
    const std::size_t length = array.ndim() == 0 ? 1 : array.shape(array.ndim() - 1);
    for_each_row<T>(array, [&](const T* first, std::int64_t step, const auto&) {
      for (std::size_t i = 0; i < length; ++i)
        numbers.push_back(static_cast<double>(first[static_cast<std::int64_t>(i) * step]));
    });
  });
  return numbers;
}

std::vector<Index> indices_in(const Array& array, std::string_view argument) {
  if (array.ndim() != 1)
    throw std::invalid_argument(fmt::format(
        "{}: found an array of {} axes, expected one of indices for each mode", argument, array.ndim()));
  std::vector<Index> indices(array.size());
  with_type_of(array, argument, [&](auto of_type) {
    using T = decltype(of_type);
    if constexpr (!std::is_integral_v<T> || std::is_same_v<T, bool>) {
      throw std::invalid_argument(
          fmt::format("{}: found an array that is not of whole numbers, expected indices", argument));
    } else {
      const T* const first = static_cast<const T*>(array.data());
      const std::int64_t step = array.stride(0);
      for (std::size_t i = 0; i < indices.size(); ++i) {
        const T index = first[static_cast<std::int64_t>(i) * step];
        if (index < T{0} || static_cast<std::uint64_t>(index) > kUnseen)
          throw std::invalid_argument(
              fmt::format("{}: found the index {}, expected 0 to {}", argument, index, kUnseen));
        indices[i] = static_cast<Index>(index);
      }
    }
  });
  return indices;
}

Cells cells_in(const std::vector<Array>& coords, std::string_view argument) {
  std::vector<std::vector<Index>> positions;
  for (const Array& along : coords) {
    positions.push_back(indices_in(along, argument));
    if (positions.back().size() != positions.front().size())
      throw std::invalid_argument(
          fmt::format("{}: found {} indices along mode {}, expected {} as along mode 0", argument,
                      positions.back().size(), positions.size() - 1, positions.front().size()));
  }
  return {std::move(positions)};
}

}  // namespace lacuna::python
