// SPDX-License-Identifier: MIT
// The number types of arrays on disk, named the way numpy does: "<f8", ">i4", "|u1", "|b1".
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace lacuna::io {

struct Dtype {
  char kind = 'f';          // b(ool), i(nteger), u(nsigned), f(loat)
  std::size_t size = 8;     // bytes: b 1; i, u 1 2 4 8; f 2 4 8
  bool big_endian = false;  // false for one-byte types

  [[nodiscard]] bool is_float() const { return kind == 'f'; }
};

// Nothing for types that are not plain real numbers: objects, strings, dates, complex and long double
// numbers.
[[nodiscard]] std::optional<Dtype> parse_dtype(std::string_view text);
[[nodiscard]] std::string dtype_text(const Dtype& dtype);

// Integers beyond 2^53 become the nearest double.
void decode_numbers(const Dtype& dtype, const unsigned char* bytes, std::size_t count, double* out);

// Whole-number types round and keep to their range (a prediction may well go a little beyond it). The
// position of the first number that does not fit is returned: NaN in a whole-number type, a number too large
// for a float type.
[[nodiscard]] std::optional<std::size_t> encode_numbers(const Dtype& dtype, const double* value,
                                                        std::size_t count, unsigned char* out);

}  // namespace lacuna::io
