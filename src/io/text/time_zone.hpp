// SPDX-License-Identifier: MIT
// Clocks of places, out of the system's own tables of them (/usr/share/zoneinfo, or the folder that TZDIR names).
#pragma once

#include <cstdint>
#include <lacuna/base/base.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::io {

// When the clocks are changed each year: "the last Sunday of March at 2:00".
struct YearlyChange {
  int month = 1;
  int week = 1;  // 5: the last
  int weekday = 0;
  // Of the clock that is changed, from midnight on; may be negative or beyond a day.
  std::int64_t seconds = 7200;
};

class TimeZone {
 public:
  TimeZone() = default;  // UTC

  // "UTC", "Europe/Berlin", "+01:00". Empty: UTC.
  static Result<TimeZone> find(const std::string& name);
  // What a file of the system's tables says (RFC 8536); nothing when it is no such file.
  static std::optional<TimeZone> from_bytes(std::string_view bytes);

  // How far its clock is ahead of UTC's at this moment, in seconds.
  [[nodiscard]] std::int64_t offset_at(std::int64_t utc) const;
  // The moment at which the clock shows this time. Of an hour that comes twice, the first; a time that the clock skips
  // is counted on from before the change.
  [[nodiscard]] std::int64_t to_utc(std::int64_t clock) const;
  [[nodiscard]] bool is_utc() const { return change_.empty() && first_offset_ == 0 && !summer_; }

 private:
  struct Change {
    std::int64_t at = 0;
    std::int64_t offset = 0;  // from then on
  };
  struct Summer {  // after the last change
    std::int64_t winter_offset = 0;
    std::int64_t summer_offset = 0;
    YearlyChange begin;
    YearlyChange end;
  };
  static std::optional<Summer> parse_rule(std::string_view text);

  std::int64_t first_offset_ = 0;
  std::vector<Change> change_;  // ascending
  std::optional<Summer> summer_;
};

}  // namespace lacuna::io
