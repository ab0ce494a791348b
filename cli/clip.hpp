// SPDX-License-Identifier: MIT
// --clip lo,hi | auto | none: keep predictions within a range.
#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <lacuna/model/model.hpp>
#include <optional>
#include <string>

namespace lacuna::cli {

class ClipFlag {
 public:
  void add_flag(CLI::App& command, const std::string& when_unset) {
    command
        .add_option("--clip", text_,
                    "keep predictions within lo,hi; auto: within the values fitted on; unset: " + when_unset)
        ->check([](const std::string& text) { return complaint(text); });
  }

  [[nodiscard]] bool given() const { return !text_.empty(); }
  [[nodiscard]] bool is_auto() const { return text_ == "auto"; }
  [[nodiscard]] std::optional<Range> range() const { return parse(text_); }

  // What the user asked for, else what the model has.
  void apply_to(Model& model) const {
    if (!given()) return;
    model.clip = is_auto() ? model.observed : range();
  }

 private:
  static std::optional<Range> parse(const std::string& text) {
    const std::size_t comma = text.find(',');
    if (comma == std::string::npos) return std::nullopt;
    const auto number = [](const std::string& digits) {
      char* end = nullptr;
      const double value = std::strtod(digits.c_str(), &end);
      return digits.empty() || *end != '\0' ? std::nan("") : value;
    };
    const Range range{.low = number(text.substr(0, comma)), .high = number(text.substr(comma + 1))};
    if (!(range.low < range.high)) return std::nullopt;
    return range;
  }
  static std::string complaint(const std::string& text) {
    if (text == "auto" || text == "none" || parse(text)) return "";
    return fmt::format("found '{}', expected LOW,HIGH with LOW < HIGH, auto or none", text);
  }

  std::string text_;
};

}  // namespace lacuna::cli
