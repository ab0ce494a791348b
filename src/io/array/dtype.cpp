// SPDX-License-Identifier: MIT
// Conversions between doubles and the number types of arrays on disk.
#include "io/array/dtype.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace lacuna::io {
namespace {

// One byte that is zero or not.
struct Truth {
  std::uint8_t bits = 0;
};

using Half = Eigen::half;
constexpr double kHalfLimit = 65520;  // from here on a number rounds to infinity in half precision

template <class T>
T swapped(T number) {
  unsigned char bytes[sizeof(T)];
  std::memcpy(bytes, &number, sizeof(T));
  std::reverse(bytes, bytes + sizeof(T));
  std::memcpy(&number, bytes, sizeof(T));
  return number;
}

double to_double(Truth truth) { return truth.bits != 0 ? 1.0 : 0.0; }
template <class T>
double to_double(T number) {
  return static_cast<double>(number);
}

// The float nearest to zero from `value`, its last bit set where that is not exact. Rounding it to half precision
// then goes the way of rounding `value` itself: Eigen goes by way of the nearest float, which rounds twice.
float odd_float(double value) {
  auto near = static_cast<float>(value);
  if (static_cast<double>(near) == value || std::isnan(value)) return near;
  if (std::fabs(static_cast<double>(near)) > std::fabs(value)) near = std::nextafter(near, 0.0F);
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(near) | 1U);
}

bool from_double(double value, Half& out) {
  if (std::fabs(value) >= kHalfLimit) return false;
  out = Half(odd_float(value));
  return true;
}

bool from_double(double value, Truth& out) {
  out.bits = value >= 0.5 ? 1 : 0;
  return !std::isnan(value);
}

template <class T>
bool from_double(double value, T& out) {
  if constexpr (std::is_floating_point_v<T>) {
    if (std::isfinite(value) && std::fabs(value) > static_cast<double>(std::numeric_limits<T>::max()))
      return false;
    out = static_cast<T>(value);
    return true;
  } else {
    if (std::isnan(value)) return false;
    // The largest 64-bit number is no double: 2^63 is, and everything from there on is out of range.
    const double limit = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const double rounded = std::round(value);
    if (rounded >= limit) {
      out = std::numeric_limits<T>::max();
    } else if (rounded < static_cast<double>(std::numeric_limits<T>::min())) {
      out = std::numeric_limits<T>::min();
    } else {
      out = static_cast<T>(rounded);
    }
    return true;
  }
}

bool must_swap(const Dtype& dtype) {
  return dtype.size > 1 && dtype.big_endian != (std::endian::native == std::endian::big);
}

// Calls visit(T{}) with the type that `dtype` names.
template <class Visit>
void with_type(const Dtype& dtype, Visit&& visit) {
  if (dtype.kind == 'b') return visit(Truth{});
  if (dtype.kind == 'f') {
    if (dtype.size == 2) return visit(Half{});
    if (dtype.size == 4) return visit(float{});
    return visit(double{});
  }
  const bool is_signed = dtype.kind == 'i';
  if (dtype.size == 1) return is_signed ? visit(std::int8_t{}) : visit(std::uint8_t{});
  if (dtype.size == 2) return is_signed ? visit(std::int16_t{}) : visit(std::uint16_t{});
  if (dtype.size == 4) return is_signed ? visit(std::int32_t{}) : visit(std::uint32_t{});
  return is_signed ? visit(std::int64_t{}) : visit(std::uint64_t{});
}

}  // namespace

std::optional<Dtype> parse_dtype(std::string_view text) {
  if (text.empty()) return std::nullopt;
  const char order = text.front();
  Dtype dtype;
  dtype.big_endian = order == '>';
  if (order == '<' || order == '>' || order == '|' || order == '=') text.remove_prefix(1);
  if (text == "?") text = "b1";
  if (text.size() != 2) return std::nullopt;
  dtype.kind = text[0];
  dtype.size = static_cast<std::size_t>(text[1] - '0');
  const std::string_view sizes = dtype.kind == 'b'                        ? "1"
                                 : dtype.kind == 'f'                      ? "248"
                                 : dtype.kind == 'i' || dtype.kind == 'u' ? "1248"
                                                                          : "";
  if (sizes.find(text[1]) == std::string_view::npos) return std::nullopt;
  if (dtype.size == 1) dtype.big_endian = false;
  return dtype;
}

std::string dtype_text(const Dtype& dtype) {
  const char order = dtype.size == 1 ? '|' : dtype.big_endian ? '>' : '<';
  return std::string{order, dtype.kind, static_cast<char>('0' + dtype.size)};
}

void decode_numbers(const Dtype& dtype, const unsigned char* bytes, std::size_t count, double* out) {
  const bool swap = must_swap(dtype);
  with_type(dtype, [&](auto sample) {
    using T = decltype(sample);
    for (std::size_t i = 0; i < count; ++i) {
      T number;
      std::memcpy(&number, bytes + i * sizeof(T), sizeof(T));
      out[i] = to_double(swap ? swapped(number) : number);
    }
  });
}

std::optional<std::size_t> encode_numbers(const Dtype& dtype, const double* value, std::size_t count,
                                          unsigned char* out) {
  const bool swap = must_swap(dtype);
  std::optional<std::size_t> misfit;
  with_type(dtype, [&](auto sample) {
    using T = decltype(sample);
    for (std::size_t i = 0; i < count; ++i) {
      T number{};
      if (!from_double(value[i], number)) {
        misfit = i;
        return;
      }
      if (swap) number = swapped(number);
      std::memcpy(out + i * sizeof(T), &number, sizeof(T));
    }
  });
  return misfit;
}

}  // namespace lacuna::io
