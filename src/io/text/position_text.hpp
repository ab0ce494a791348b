// SPDX-License-Identifier: MIT
// From a position of a mode to what files call it: its label, its bin, or its number.
#pragma once

#include <fmt/format.h>

#include <lacuna/tensor/tensor.hpp>
#include <string>
#include <utility>

#include "io/text/time.hpp"

namespace lacuna::io {

class PositionText {
 public:
  // The mode must outlive it. An error where its time zone is not known here.
  static Result<PositionText> of(const Mode& mode, int index_base) {
    auto zone = TimeZone::find(mode.time_zone);
    if (!zone) return zone.error();
    return PositionText(mode, std::move(*zone), index_base);
  }

  [[nodiscard]] const std::string* label(Index position) const {
    return position < mode_->labels.size() ? &mode_->labels[position] : nullptr;
  }
  [[nodiscard]] bool is_number(Index position) const { return label(position) == nullptr && !mode_->binning; }
  [[nodiscard]] std::int64_t number(Index position) const { return std::int64_t{position} + base_; }
  [[nodiscard]] std::string text(Index position) const {
    if (const std::string* const name = label(position)) return *name;
    return mode_->binning ? bin_text(position, *mode_->binning, zone_) : fmt::to_string(number(position));
  }
  [[nodiscard]] const TimeZone& zone() const { return zone_; }

 private:
  PositionText(const Mode& mode, TimeZone zone, int base)
      : mode_(&mode), zone_(std::move(zone)), base_(base) {}

  const Mode* mode_;
  TimeZone zone_;
  int base_;
};

}  // namespace lacuna::io
