// SPDX-License-Identifier: MIT
// Time stamps in tables, and their bins.
#pragma once

#include <cstdint>
#include <lacuna/tensor/entries.hpp>
#include <string_view>

namespace lacuna::io {

// Unix seconds (fractions are cut off towards the past), or "YYYY-MM-DD", then maybe a blank or 'T' and
// "HH:MM[:SS[.fraction]]", then maybe 'Z' or an offset "+HH:MM". Without an offset the clock is UTC.
bool parse_stamp(std::string_view text, std::int64_t& seconds);

// The bin's number, negative for stamps before the origin.
std::int64_t bin_of(std::int64_t seconds, const Binning& binning);

}  // namespace lacuna::io
