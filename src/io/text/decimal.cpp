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

// Takes one of these from the beginning or the end of the text; they are written beside numbers.
template <std::size_t n>
bool take_mark(std::string_view& text, const std::array<std::string_view, n>& marks) {
  for (const std::string_view mark : marks) {
    if (text.size() > mark.size() && text.starts_with(mark)) {
      text = trim(text.substr(mark.size()));
      return true;
    }
    if (text.size() > mark.size() && text.ends_with(mark)) {
      text = trim(text.substr(0, text.size() - mark.size()));
      return true;
    }
  }
  return false;
}

bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// A currency's code before or after the number: EUR 12, 12EUR.
std::string_view without_currency(std::string_view text) {
  constexpr std::size_t kCode = 3;
  if (text.size() <= kCode) return text;
  const std::string_view first = text.substr(0, kCode);
  const std::string_view last = text.substr(text.size() - kCode);
  if (std::all_of(first.begin(), first.end(), is_upper)) return trim(text.substr(kCode));
  if (std::all_of(last.begin(), last.end(), is_upper)) return trim(text.substr(0, text.size() - kCode));
  return text;
}

// What accountants and spreadsheets write round a number: (5), $5, 5 %, EUR 5, and U+2212 before it.
std::string_view without_ornaments(std::string_view text) {
  constexpr std::array<std::string_view, 12> kMarks = {"\u2212", "$",      "\u20ac", "\u00a3",
                                                       "\u00a5", "\u20b9", "%",      "\u2030",
                                                       "\u00b0", "\u00a0", "\u202f", "~"};
  constexpr int kMost = 4;
  text = trim(text);
  if (text.size() > 2 && text.front() == '(' && text.back() == ')')
    text = trim(text.substr(1, text.size() - 2));
  text = without_sign(text);
  for (int taken = 0; taken < kMost && take_mark(text, kMarks); ++taken) text = without_sign(text);
  return without_sign(without_currency(text));
}

bool is_fraction(std::string_view text) {
  const std::size_t slash = text.find('/');
  return slash != std::string_view::npos && slash > 0 && digits_at(text, 0) == slash &&
         slash + 1 < text.size() && digits_at(text, slash + 1) == text.size() - slash - 1;
}

// How many bytes of it are one mark between digits; 0: it begins with something else.
std::size_t separator_at(std::string_view text) {
  for (const std::string_view mark : {".", ",", "'", "_", " ", "\u00a0", "\u2009", "\u202f"})
    if (text.starts_with(mark)) return mark.size();
  return 0;
}

bool is_digits_and_separators(std::string_view text) {
  std::size_t at = 0;
  bool digits = false;
  while (at < text.size()) {
    const std::string_view rest = text.substr(at);
    if (is_digit(rest[0])) digits = true;
    const std::size_t bytes = is_digit(rest[0]) ? 1 : separator_at(rest);
    if (bytes == 0) break;
    at += bytes;
  }
  if (!digits || at == text.size()) return digits;
  if (text[at] != 'e' && text[at] != 'E') return false;
  const std::string_view exponent = without_sign(text.substr(at + 1));
  return !exponent.empty() && digits_at(exponent, 0) == exponent.size();
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
  text = without_ornaments(text);
  return is_fraction(text) || is_digits_and_separators(text);
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
