// SPDX-License-Identifier: MIT
// Tables of time zones: whatever the bytes, clocks stay within a day of UTC, and a moment that a clock shows is shown.
#include "io/text/time_zone.hpp"

#include "support.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto zone = lacuna::io::TimeZone::from_bytes({reinterpret_cast<const char*>(data), size});
  if (!zone) return 0;
  constexpr std::int64_t kDay = 86400;
  for (const std::int64_t moment :
       {std::int64_t{-4'000'000'000'000'000'000}, std::int64_t{-62'000'000'000}, std::int64_t{0},
        std::int64_t{1'711'846'800}, std::int64_t{4'118'000'000}, std::int64_t{4'000'000'000'000'000'000}}) {
    const std::int64_t offset = zone->offset_at(moment);
    lacuna::fuzz::require(offset > -kDay && offset < kDay, "a clock that is days away from UTC");
    const std::int64_t back = zone->to_utc(moment + offset);
    lacuna::fuzz::require(back - moment < 2 * kDay && moment - back < 2 * kDay,
                          "a moment that is lost by its clock");
  }
  return 0;
}
