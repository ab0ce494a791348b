// SPDX-License-Identifier: MIT
// Bins of time: the widths, the calendar and the names that the command line's --bin has.
#include <fmt/format.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <array>
#include <lacuna/io/files.hpp>

#include "arrays.hpp"
#include "bins.hpp"
#include "errors.hpp"
#include "io/text/number.hpp"
#include "io/text/time.hpp"
#include "io/text/time_zone.hpp"
#include "register.hpp"

namespace lacuna::python {
namespace {

constexpr std::array<const char*, 3> kUnits = {"second", "day", "month"};

using Stamps = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

io::TimeZone zone_called(const std::string& name) { return value_of(io::TimeZone::find(name)); }

// Those of this width, of which one holds the first moment, in seconds since 1970.
Bins bins_from(std::int64_t first, const std::string& width, bool dates) {
  const auto request = parse_bin_width(width);
  if (!request) raise({.kind = ErrorKind::kUsage, .where = "bins", .what = request.error().what});
  Binning binning{.width = request->width, .unit = request->unit, .dates = dates};
  const bool calendar = binning.unit != BinUnit::kSecond;
  binning.dates = dates || calendar;
  if (calendar && !io::has_a_date(first))
    throw std::invalid_argument("bins: found a time stamp outside of the years 0 to 9999");
  binning.origin =
      calendar ? io::calendar_origin(io::count_units(first, binning.unit, io::TimeZone()), binning) : first;
  return bins_of(binning, "");
}

// The bins that moments are in, negative before the first one. `clock`: they are what the bins' clock shows, not seconds
// since 1970.
NumpyVector<std::int64_t> bin_numbers(const Bins& bins, const Stamps& stamps, bool clock) {
  const Binning binning = binning_of(bins);
  const io::TimeZone zone = zone_called(time_zone_of(bins));
  std::vector<std::int64_t> numbers(stamps.shape(0));
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::int64_t seconds = clock ? zone.to_utc(stamps.data()[i]) : stamps.data()[i];
    if (binning.unit != BinUnit::kSecond && !io::has_a_date(seconds))
      throw std::invalid_argument("bins: found a time stamp outside of the years 0 to 9999");
    numbers[i] = io::bin_of(seconds, binning, zone);
  }
  return owned(std::move(numbers));
}

std::vector<std::string> bin_texts(const Bins& bins, const std::vector<std::int64_t>& numbers) {
  const Binning binning = binning_of(bins);
  const io::TimeZone zone = zone_called(time_zone_of(bins));
  std::vector<std::string> texts;
  texts.reserve(numbers.size());
  for (const std::int64_t bin : numbers) texts.push_back(io::bin_text(bin, binning, zone));
  return texts;
}

// Seconds since 1970 of texts, and whether all of them are dates rather than numbers.
std::pair<NumpyVector<std::int64_t>, bool> parse_stamps(const std::vector<std::string>& texts,
                                                        const std::string& time_zone) {
  const io::TimeZone zone = zone_called(time_zone);
  std::vector<std::int64_t> stamps;
  bool dates = true;
  for (const std::string& text : texts) {
    std::int64_t seconds = 0;
    if (!io::parse_stamp(io::trim(text), zone, seconds))
      throw std::invalid_argument(
          fmt::format("found {}, expected a time stamp: seconds, or YYYY-MM-DD HH:MM:SS", io::quoted(text)));
    stamps.push_back(seconds);
    double number = 0.0;
    dates = dates && !io::parse_number(io::trim(text), number);
  }
  return {owned(std::move(stamps)), dates};
}

}  // namespace

Bins bins_of(const Binning& binning, const std::string& time_zone) {
  return {binning.origin, binning.width, kUnits[static_cast<std::size_t>(binning.unit)], binning.dates,
          time_zone};
}

Binning binning_of(const Bins& bins) {
  const auto& [origin, width, unit, dates, zone] = bins;
  Binning binning{.origin = origin, .width = width, .dates = dates};
  for (std::size_t u = 0; u < kUnits.size(); ++u)
    if (unit == kUnits[u]) binning.unit = static_cast<BinUnit>(u);
  if (width <= 0) throw std::invalid_argument("a binning whose width is not > 0");
  return binning;
}

void register_bins(nb::module_& m) {
  m.def(
      "bins_from", &bins_from, nb::arg("first"), nb::arg("width"), nb::arg("dates"),
      "Bins of a width such as '7d', '1w' or '1M': origin, width, unit, whether dates call them, time zone.");
  m.def("bin_numbers", &bin_numbers, nb::arg("bins"), nb::arg("stamps"), nb::arg("clock"));
  m.def("bin_texts", &bin_texts, nb::arg("bins"), nb::arg("numbers"), "What files call these bins.");
  m.def(
      "bin_width", [](const Bins& bins) { return io::width_text(binning_of(bins)); }, nb::arg("bins"));
  m.def("parse_stamps", &parse_stamps, nb::arg("texts"), nb::arg("time_zone"));
}

}  // namespace lacuna::python
