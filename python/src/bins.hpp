// SPDX-License-Identifier: MIT
// Bins of time as Python keeps them: plain values, which can be compared, copied and pickled.
#pragma once

#include <cstdint>
#include <lacuna/tensor/tensor.hpp>
#include <string>
#include <tuple>

namespace lacuna::python {

// Origin and width in units; the unit: "second", "day" or "month"; whether bins are called by dates; the time zone.
using Bins = std::tuple<std::int64_t, std::int64_t, std::string, bool, std::string>;

[[nodiscard]] Bins bins_of(const Binning& binning, const std::string& time_zone);
[[nodiscard]] Binning binning_of(const Bins& bins);
[[nodiscard]] inline const std::string& time_zone_of(const Bins& bins) { return std::get<4>(bins); }

}  // namespace lacuna::python
