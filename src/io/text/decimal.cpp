// SPDX-License-Identifier: MIT
#include "io/text/decimal.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <limits>

#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

std::string_view without_sign(std::string_view text) {
  if (!text.empty() && (text[0] == '+' || text[0] == '-')) text.remove_prefix(1);
  return text;
}

std::size_t digits_at(std::string_view text, std::size_t from) {
  std::size_t end = from;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - from;
}

}  // namespace

bool is_missing_word(std::string_view text) {
  constexpr std::array<std::string_view, 6> kWords = {"na", "n/a", "#n/a", "null", "none", "-"};
  const auto same_letter = [](char a, char b) { return std::tolower(static_cast<unsigned char>(a)) == b; };
  text = trim(text);
  return text.empty() || std::any_of(kWords.begin(), kWords.end(), [&](std::string_view word) {
           return std::equal(text.begin(), text.end(), word.begin(), word.end(), same_letter);
         });
}

bool parse_decimal(std::string_view text, char mark, double& value) {
  if (mark == '.') return parse_number(text, value);
  if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
  const char* const end = text.data() + text.size();
  if (text.empty()) return false;
  const auto parsed = fast_float::from_chars_advanced(
      text.data(), end, value, fast_float::parse_options(fast_float::chars_format::general, mark));
  return (parsed.ec == std::errc() || parsed.ec == std::errc::result_out_of_range) && parsed.ptr == end;
}

bool parse_table_value(std::string_view text, char mark, double& value) {
  text = trim(text);
  if (is_missing_word(text)) {
    value = std::numeric_limits<double>::quiet_NaN();
    return true;
  }
  return parse_decimal(text, mark, value) && !std::isinf(value);
}

bool looks_numeric(std::string_view text) {
  text = without_sign(trim(text));
  std::size_t at = 0;
  bool digits = false;
  for (; at < text.size(); ++at) {
    if (is_digit(text[at])) {
      digits = true;
    } else if (std::string_view(".,'_ ").find(text[at]) == std::string_view::npos) {
      break;
    }
  }
  if (!digits || at == text.size()) return digits;
  if (text[at] != 'e' && text[at] != 'E') return false;
  const std::string_view exponent = without_sign(text.substr(at + 1));
  return !exponent.empty() && digits_at(exponent, 0) == exponent.size();
}

bool may_be_thousands(std::string_view text) {
  text = without_sign(trim(text));
  const std::size_t leading = digits_at(text, 0);
  if (leading == 0 || leading > 3 || text[0] == '0' || leading == text.size()) return false;
  for (std::size_t at = leading; at < text.size(); at += 4) {
    if (text[at] != ',' || digits_at(text, at + 1) < 3) return false;
    if (at + 4 < text.size() && is_digit(text[at + 4])) return false;
  }
  return true;
}

}  // namespace lacuna::io
