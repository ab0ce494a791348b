// SPDX-License-Identifier: MIT
#include "io/text/position_lookup.hpp"

#include <fmt/format.h>

#include "io/text/number.hpp"

namespace lacuna::io {

PositionLookup::PositionLookup(const Mode& mode, int index_base)
    : name_(mode.name),
      example_(mode.labels.empty() ? "" : mode.labels.front()),
      size_(mode.size),
      base_(index_base),
      labelled_(!mode.labels.empty()),
      labels_(mode.labels) {}

Index PositionLookup::find(std::string_view text) const {
  if (labelled_) return labels_.find(text);
  const auto position = number(text);
  return position && *position < size_ ? *position : kUnseen;
}

std::optional<Index> PositionLookup::number(std::string_view text) const {
  std::uint64_t index = 0;
  if (labelled_ || !parse_index(text, index)) return std::nullopt;
  if (index < static_cast<std::uint64_t>(base_) || index - base_ >= kLargestSize) return std::nullopt;
  return static_cast<Index>(index - base_);
}

std::string PositionLookup::expected() const {
  if (labelled_) return fmt::format("a label of mode {}, such as {}", name_, quoted(example_));
  return fmt::format("a position of mode {}: {} to {}", name_, base_, size_ - 1 + static_cast<Index>(base_));
}

}  // namespace lacuna::io
