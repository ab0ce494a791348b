// SPDX-License-Identifier: MIT
// Numbers that people write.
#pragma once

#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace lacuna {

// The number that the whole text is; a finite one. Nothing for whole numbers with a leading 0, which others
// would read as octal.
template <class Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
  const bool octal = text.size() > 1 && text[0] == '0' && text[1] >= '0' && text[1] <= '9';
  if (std::is_integral_v<Number> && octal) return std::nullopt;
  Number value{};
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>)
    if (!std::isfinite(value)) return std::nullopt;
  return value;
}

// In as few digits as read back the same: 0.5, not 0.500000.
[[nodiscard]] inline std::string shortest(double value) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}

}  // namespace lacuna
