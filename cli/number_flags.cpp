// SPDX-License-Identifier: MIT
#include "number_flags.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <limits>

namespace lacuna::cli {
namespace {

template <class Number>
bool is_whole(const std::string& text) {
  Number value = 0;
  const char* const end = text.data() + text.size();
  const auto [at, problem] = std::from_chars(text.data(), end, value);
  const std::size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
  const bool octal = text.size() > sign + 1 && text[sign] == '0';  // to CLI11
  return problem == std::errc() && at == end && !octal;
}

std::string whole_number(const std::string& text) {
  using Limits = std::numeric_limits<int>;
  if (is_whole<int>(text)) return "";
  return fmt::format("found '{}', expected a whole number from {} to {}", text, Limits::min(), Limits::max());
}

std::string natural_number(const std::string& text) {
  if (is_whole<std::uint64_t>(text)) return "";
  return fmt::format("found '{}', expected a whole number from 0 to {}", text,
                     std::numeric_limits<std::uint64_t>::max());
}

std::string finite_number(const std::string& text) {
  double value = 0.0;
  if (CLI::detail::lexical_cast(text, value) && std::isfinite(value)) return "";
  return fmt::format("found '{}', expected a finite number", text);
}

}  // namespace

void check_numbers(CLI::App& app) {
  for (CLI::App* verb : app.get_subcommands({}))
    for (CLI::Option* option : verb->get_options()) {
      const std::string type = option->get_type_name();  // with the names of other checks after it
      const auto is = [&](std::string_view name) {
        return type.compare(0, name.size(), name) == 0 &&
               (type.size() == name.size() || type[name.size()] == ':');
      };
      if (is("INT")) option->check(whole_number);
      if (is("UINT")) option->check(natural_number);
      if (is("FLOAT")) option->check(finite_number);
    }
}

}  // namespace lacuna::cli
