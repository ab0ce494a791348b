// SPDX-License-Identifier: MIT
// Where predictions are kept.
#pragma once

#include <lacuna/base/result.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

namespace lacuna {

// An end may be infinite.
struct Range {
  double low = 0.0;
  double high = 0.0;

  bool operator==(const Range&) const = default;
};

// Anywhere, within the values that were observed, or within a given range.
class Clip {
 public:
  Clip() = default;   // anywhere
  Clip(Range range);  // NOLINT(google-explicit-constructor); throws std::invalid_argument unless low < high
  [[nodiscard]] static Clip to_observed();

  // The range for data of these values; nothing: anywhere.
  [[nodiscard]] std::optional<Range> range(const Range& observed) const;

  // "none", "auto" (within the observed values) or "LOW,HIGH", of which an end may be inf or -inf.
  [[nodiscard]] static Result<Clip> parse(std::string_view text);
  [[nodiscard]] std::string text() const;

  bool operator==(const Clip&) const = default;

 private:
  struct Observed {
    bool operator==(const Observed&) const = default;
  };
  std::variant<std::monostate, Observed, Range> where_;
};

}  // namespace lacuna
