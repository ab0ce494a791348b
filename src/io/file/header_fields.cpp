// SPDX-License-Identifier: MIT
#include "io/file/header_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "io/file/array_container.hpp"

namespace lacuna::io {
namespace {

// Brackets outside strings. Text that is not JSON may come out too shallow; the parser then refuses it.
bool is_shallow(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      if (c == '"') in_string = false;
      continue;
    }
    if (c == '"') in_string = true;
    if ((c == '[' || c == '{') && ++depth > kDeepestJson) return false;
    if (c == ']' || c == '}') --depth;
  }
  return true;
}

}  // namespace

nlohmann::json parse_bounded_json(std::string_view text) {
  if (!is_shallow(text)) return nlohmann::json::value_t::discarded;
  return nlohmann::json::parse(text, nullptr, false);
}

std::int64_t whole_number(const nlohmann::json& field, std::int64_t low, std::int64_t high,
                          const char* what) {
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  const bool fits =
      field.is_number_integer() && !(field.is_number_unsigned() && field.get<std::uint64_t>() > kLargest);
  if (!fits || field.get<std::int64_t>() < low || field.get<std::int64_t>() > high)
    throw ArrayReader::Bad(fmt::format("{}: expected a whole number from {} to {}", what, low, high));
  return field.get<std::int64_t>();
}

double finite_number(const nlohmann::json& field, const char* what) {
  if (!field.is_number() || !std::isfinite(field.get<double>()))
    throw ArrayReader::Bad(fmt::format("{}: expected a finite number", what));
  return field.get<double>();
}

std::vector<int> mode_numbers(const nlohmann::json& list, int order) {
  if (!list.is_array()) throw ArrayReader::Bad("modes: expected a list of numbers");
  std::vector<int> modes;
  for (const nlohmann::json& one : list)
    modes.push_back(static_cast<int>(whole_number(one, 0, order - 1, "a mode's number")));
  return modes;
}

namespace {

template <class Number>
void check_all_finite(std::span<const Number> values) {
  if (!std::all_of(values.begin(), values.end(), [](Number value) { return std::isfinite(value); }))
    throw ArrayReader::Bad("an array with a number that is not finite");
}

}  // namespace

void check_finite(std::span<const double> values) { check_all_finite(values); }
void check_finite(std::span<const float> values) { check_all_finite(values); }

}  // namespace lacuna::io
