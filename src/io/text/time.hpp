// SPDX-License-Identifier: MIT
// Time stamps in tables, and their bins.
#pragma once

#include <cstdint>
#include <lacuna/tensor/tensor.hpp>
#include <string_view>

namespace lacuna::io {

// Unix seconds (fractions are cut off towards the past), or "YYYY-MM-DD", then maybe a blank or 'T' and
// "HH:MM[:SS[.fraction]]", then maybe 'Z' or an offset "+HH:MM". Without an offset the clock is UTC.
bool parse_stamp(std::string_view text, std::int64_t& seconds);

// A date as above, and never a bare number; fractions of a second count.
bool parse_moment(std::string_view text, double& seconds);

// Where something lies along a mode: a finite number, with `decimal` before its decimals, or a date.
bool parse_position(std::string_view text, char decimal, double& position);

// Of positions that are dates.
inline constexpr std::string_view kSecondsSince = "seconds since 1970-01-01";

// The bin's number, negative for stamps before the origin.
std::int64_t bin_of(std::int64_t seconds, const Binning& binning);

}  // namespace lacuna::io
