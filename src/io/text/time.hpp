// SPDX-License-Identifier: MIT
// Time stamps in tables, and their bins.
#pragma once

#include <cstdint>
#include <lacuna/tensor/tensor.hpp>
#include <string>
#include <string_view>

#include "io/text/time_zone.hpp"

namespace lacuna::io {

// Unix seconds (fractions are cut off towards the past), or "YYYY-MM-DD", then maybe a blank or 'T' and
// "HH:MM[:SS[.fraction]]", then maybe 'Z' or an offset "+HH:MM". Without an offset the clock is the zone's.
bool parse_stamp(std::string_view text, const TimeZone& zone, std::int64_t& seconds);

// A date as above, and never a bare number; fractions of a second count.
bool parse_moment(std::string_view text, double& seconds, const TimeZone& zone = {});

// Where something lies along a mode: a finite number, with `decimal` before its decimals, or a date.
bool parse_position(std::string_view text, char decimal, double& position, const TimeZone& zone = {});

// Of positions that are dates.
inline constexpr std::string_view kSecondsSince = "seconds since 1970-01-01";

// The number of the second, of the day or of the month since 1970 that the zone's calendar shows at this moment.
std::int64_t count_units(std::int64_t seconds, BinUnit unit, const TimeZone& zone);
// Whether the calendar has years of four digits for it.
bool has_a_date(std::int64_t seconds);

// The bin's number, negative for stamps before the origin.
std::int64_t bin_of(std::int64_t seconds, const Binning& binning, const TimeZone& zone);

// Where bins of the calendar begin such that one of them holds this unit: weeks on Mondays, quarters in January, April,
// July and October; of several units at multiples since 1970.
std::int64_t calendar_origin(std::int64_t number, const Binning& binning);

// What files call a bin: its first day or moment, or the number of its first second.
std::string bin_text(std::int64_t bin, const Binning& binning, const TimeZone& zone);

// "3 months", "7 days", "90 minutes"
std::string width_text(const Binning& binning);

}  // namespace lacuna::io
