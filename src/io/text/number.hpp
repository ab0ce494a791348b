// SPDX-License-Identifier: MIT
// Numbers in text.
#pragma once

#include <fast_float/fast_float.h>

#include <cstddef>
#include <cstdint>
#include <lacuna/tensor/tensor.hpp>
#include <string>
#include <string_view>

#include "base/quoted.hpp"

namespace lacuna::io {

// Sizes stop one short of kUnseen, so that no position equals it and every 1-based number fits an Index.
inline constexpr std::uint64_t kLargestSize = 0xfffffffeU;

// More modes than any data have; numpy's limit, too. What a file costs grows with the square of their number.
inline constexpr std::size_t kMostModes = 64;

inline bool is_blank(char c) { return c == ' ' || c == '\t'; }
inline bool is_digit(char c) { return static_cast<unsigned char>(c - '0') < 10; }

inline const char* skip_blanks(const char* p, const char* end) {
  while (p < end && is_blank(*p)) ++p;
  return p;
}

inline std::string_view trim(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

// The digits at p, which is left behind them. False: there are none, or more than fit.
inline bool parse_digits(const char*& p, const char* end, std::uint64_t& number) {
  const char* const begin = p;
  std::uint64_t sum = 0;
  while (p < end && is_digit(*p)) sum = 10 * sum + static_cast<unsigned char>(*p++ - '0');
  number = sum;
  return p > begin && p - begin <= 19;  // 10^19 - 1 still fits
}

inline bool parse_index(std::string_view text, std::uint64_t& number) {
  const char* p = text.data();
  const char* const end = p + text.size();
  return parse_digits(p, end, number) && p == end;
}

// The number at p, which is left behind it: a decimal number, "nan" or "inf" (any case). A number too large
// for a double comes out infinite.
inline bool parse_number(const char*& p, const char* end, double& value) {
  const char* begin = p;
  if (end - begin > 1 && *begin == '+' && begin[1] != '-') ++begin;  // fast_float follows from_chars: no '+'
  if (begin == end) return false;
  const auto parsed = fast_float::from_chars(begin, end, value);
  if (parsed.ec != std::errc() && parsed.ec != std::errc::result_out_of_range) return false;
  p = parsed.ptr;
  return true;
}

inline bool parse_number(std::string_view text, double& value) {
  const char* p = text.data();
  const char* const end = p + text.size();
  return parse_number(p, end, value) && p == end;
}

using lacuna::is_utf8;
using lacuna::quoted;

}  // namespace lacuna::io
