// SPDX-License-Identifier: MIT
// Parsing of time stamps and durations.
#include "io/text/time.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <lacuna/io/files.hpp>
#include <limits>

#include "io/text/decimal.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

// Differences between stamps within +-4e18 fit an int64.
constexpr double kLargestStamp = 4e18;

class Scanner {
 public:
  explicit Scanner(std::string_view text) : p_(text.data()), end_(p_ + text.size()) {}

  bool digits(int count, int& number) {
    number = 0;
    if (end_ - p_ < count) return false;
    for (int i = 0; i < count; ++i, ++p_) {
      if (!is_digit(*p_)) return false;
      number = 10 * number + (*p_ - '0');
    }
    return true;
  }
  bool one_of(std::string_view characters) {
    if (p_ == end_ || characters.find(*p_) == std::string_view::npos) return false;
    ++p_;
    return true;
  }
  // 25 -> 0.25
  double fraction() {
    double sum = 0.0;
    for (double unit = 0.1; p_ < end_ && is_digit(*p_); ++p_, unit /= 10.0) sum += unit * (*p_ - '0');
    return sum;
  }
  [[nodiscard]] bool done() const { return p_ == end_; }
  [[nodiscard]] char last() const { return p_[-1]; }

 private:
  const char* p_;
  const char* end_;
};

// A moment: whole seconds since 1970, and what there is of the next one.
struct Moment {
  std::int64_t seconds = 0;
  double fraction = 0.0;
  bool offset = false;  // it states one, or is UTC
};

bool parse_clock(Scanner& scan, Moment& moment) {
  int hour = 0;
  int minute = 0;
  int second = 0;
  if (!scan.digits(2, hour) || !scan.one_of(":") || !scan.digits(2, minute)) return false;
  if (scan.one_of(":")) {
    if (!scan.digits(2, second)) return false;
    if (scan.one_of(".,")) moment.fraction = scan.fraction();
  }
  if (hour > 24 || minute > 59 || second > 60) return false;  // 60: a leap second
  moment.seconds += hour * 3600 + minute * 60 + second;
  scan.one_of(" ");
  moment.offset = scan.one_of("Zz");
  if (moment.offset) return true;
  if (scan.one_of("+-")) {
    moment.offset = true;
    const int sign = scan.last() == '+' ? 1 : -1;
    minute = 0;
    if (!scan.digits(2, hour)) return false;
    scan.one_of(":");
    if (!scan.done() && !scan.digits(2, minute)) return false;
    if (hour > 23 || minute > 59) return false;
    moment.seconds -= std::int64_t{sign} * (hour * 3600 + minute * 60);
  }
  return true;
}

bool parse_clock_date(std::string_view text, Moment& moment) {
  Scanner scan(text);
  int year = 0;
  int month = 0;
  int day = 0;
  if (!scan.digits(4, year) || !scan.one_of("-") || !scan.digits(2, month) || !scan.one_of("-") ||
      !scan.digits(2, day)) {
    return false;
  }
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return false;
  moment.seconds = std::int64_t{86400} * std::chrono::sys_days(date).time_since_epoch().count();
  if (scan.done()) return true;
  return scan.one_of(" Tt") && parse_clock(scan, moment) && scan.done();
}

bool parse_date(std::string_view text, const TimeZone& zone, Moment& moment) {
  if (!parse_clock_date(text, moment)) return false;
  if (!moment.offset) moment.seconds = zone.to_utc(moment.seconds);
  return true;
}

constexpr std::int64_t kDay = 86400;
constexpr std::int64_t kFirstMonday = 4;  // days after 1970-01-01, a Thursday

std::int64_t floor_division(std::int64_t number, std::int64_t by) {
  const std::int64_t quotient = number / by;
  return number % by < 0 ? quotient - 1 : quotient;
}

std::string date_text(std::int64_t days) {
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return fmt::format("{:04}-{:02}-{:02}", int{date.year()}, unsigned{date.month()}, unsigned{date.day()});
}

std::int64_t month_start(std::int64_t months) {  // days
  const std::chrono::year_month first{std::chrono::year(1970), std::chrono::January};
  const std::chrono::sys_days day = (first + std::chrono::months(months)) / std::chrono::day(1);
  return day.time_since_epoch().count();
}

// "2024-03-31 02:00:00", with the offset where the clock is not UTC's.
std::string moment_text(std::int64_t seconds, bool whole_days, const TimeZone& zone) {
  const std::int64_t offset = zone.offset_at(seconds);
  if (offset % 60 != 0) return fmt::to_string(seconds);  // the sun's own time, before there were zones
  const std::int64_t clock = seconds + offset;
  const std::int64_t days = floor_division(clock, kDay);
  const std::int64_t second = clock - days * kDay;
  if (whole_days && second == 0 && zone.is_utc()) return date_text(days);
  std::string text =
      fmt::format("{} {:02}:{:02}:{:02}", date_text(days), second / 3600, second / 60 % 60, second % 60);
  if (zone.is_utc()) return text;
  const std::int64_t minutes = std::abs(offset) / 60;
  return text + fmt::format("{}{:02}:{:02}", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

}  // namespace

bool parse_stamp(std::string_view text, const TimeZone& zone, std::int64_t& seconds) {
  std::uint64_t whole = 0;
  if (text.size() <= 18 && parse_index(text, whole)) {
    seconds = static_cast<std::int64_t>(whole);
    return true;
  }
  double number = 0;
  if (parse_number(text, number)) {
    if (!(std::abs(number) <= kLargestStamp)) return false;
    seconds = static_cast<std::int64_t>(std::floor(number));
    return true;
  }
  Moment moment;
  if (!parse_date(text, zone, moment)) return false;
  seconds = moment.seconds;
  return true;
}

bool parse_moment(std::string_view text, double& seconds, const TimeZone& zone) {
  Moment moment;
  if (!parse_date(trim(text), zone, moment)) return false;
  seconds = static_cast<double>(moment.seconds) + moment.fraction;
  return true;
}

bool parse_position(std::string_view text, char decimal, double& position, const TimeZone& zone) {
  text = trim(text);
  if (parse_decimal(text, decimal, position)) return std::isfinite(position);
  return parse_moment(text, position, zone);
}

bool has_a_date(std::int64_t seconds) {
  // A day less than there is on both sides, for the zones.
  static const std::int64_t first =
      std::chrono::sys_days(std::chrono::year(0) / 1 / 2).time_since_epoch().count();
  static const std::int64_t last =
      std::chrono::sys_days(std::chrono::year(9999) / 12 / 31).time_since_epoch().count();
  return seconds >= first * kDay && seconds < last * kDay;
}

std::int64_t count_units(std::int64_t seconds, BinUnit unit, const TimeZone& zone) {
  if (unit == BinUnit::kSecond) return seconds;
  const std::int64_t days = floor_division(seconds + zone.offset_at(seconds), kDay);
  if (unit == BinUnit::kDay) return days;
  const std::chrono::year_month_day date{std::chrono::sys_days(std::chrono::days(days))};
  return std::int64_t{int{date.year()} - 1970} * 12 + unsigned{date.month()} - 1;
}

std::int64_t calendar_origin(std::int64_t number, const Binning& binning) {
  const std::int64_t zero = binning.unit == BinUnit::kDay ? kFirstMonday : 0;
  return zero + floor_division(number - zero, binning.width) * binning.width;
}

std::int64_t bin_of(std::int64_t seconds, const Binning& binning, const TimeZone& zone) {
  return floor_division(count_units(seconds, binning.unit, zone) - binning.origin, binning.width);
}

std::string bin_text(std::int64_t bin, const Binning& binning, const TimeZone& zone) {
  const std::int64_t start = binning.origin + bin * binning.width;
  if (binning.unit == BinUnit::kDay) return date_text(start);
  if (binning.unit == BinUnit::kMonth) return date_text(month_start(start));
  const bool whole_days = binning.width % kDay == 0 && binning.origin % kDay == 0;
  return binning.dates && has_a_date(start) ? moment_text(start, whole_days, zone) : fmt::to_string(start);
}

std::string width_text(const Binning& binning) {
  struct Unit {
    const char* name;
    std::int64_t seconds;
  };
  constexpr std::array<Unit, 4> kUnits = {{{"day", kDay}, {"hour", 3600}, {"minute", 60}, {"second", 1}}};
  std::int64_t width = binning.width;
  const char* name = binning.unit == BinUnit::kMonth ? "month" : "day";
  if (binning.unit == BinUnit::kSecond) {
    const Unit& unit = *std::find_if(kUnits.begin(), kUnits.end(),
                                     [&](const Unit& one) { return width % one.seconds == 0; });
    width /= unit.seconds;
    name = unit.name;
  }
  return fmt::format("{} {}{}", width, name, width == 1 ? "" : "s");
}

}  // namespace lacuna::io

namespace lacuna {

Result<std::int64_t> parse_duration(std::string_view text) {
  const auto refuse = [&] {
    return usage_error(
        "", fmt::format("found {}, expected a duration > 0 such as 7d, 12h, 30m, 45s or plain seconds",
                        io::quoted(text)));
  };
  std::string_view digits = text;
  std::uint64_t unit = 1;
  if (!digits.empty() && !io::is_digit(digits.back())) {
    switch (digits.back()) {
      case 's':
        unit = 1;
        break;
      case 'm':
        unit = 60;
        break;
      case 'h':
        unit = 3600;
        break;
      case 'd':
        unit = 86400;
        break;
      case 'w':
        unit = std::uint64_t{7} * 86400;
        break;
      default:
        return refuse();
    }
    digits.remove_suffix(1);
  }
  std::uint64_t number = 0;
  constexpr std::uint64_t kLargest = std::numeric_limits<std::int64_t>::max();
  if (!io::parse_index(digits, number) || number == 0 || number > kLargest / unit) return refuse();
  return static_cast<std::int64_t>(number * unit);
}

Result<BinRequest> parse_bin_width(std::string_view text) {
  struct Calendar {
    char letter;
    std::int64_t width;
    BinUnit unit;
  };
  constexpr std::array<Calendar, 5> kCalendar = {{{'w', 7, BinUnit::kDay},
                                                  {'M', 1, BinUnit::kMonth},
                                                  {'Q', 3, BinUnit::kMonth},
                                                  {'y', 12, BinUnit::kMonth},
                                                  {'Y', 12, BinUnit::kMonth}}};
  constexpr std::uint64_t kMost = 10000;
  for (const Calendar& calendar : kCalendar) {
    if (text.empty() || text.back() != calendar.letter) continue;
    std::uint64_t number = 0;
    if (!io::parse_index(text.substr(0, text.size() - 1), number) || number == 0 || number > kMost) break;
    return BinRequest{.width = static_cast<std::int64_t>(number) * calendar.width, .unit = calendar.unit};
  }
  if (const auto seconds = parse_duration(text); seconds && text.back() != 'w')
    return BinRequest{.width = *seconds};
  return usage_error(
      "", fmt::format("found {}, expected a width > 0 such as 7d, 12h, 30m, 45s or plain seconds, or of "
                      "the calendar 1w, 1M, 1Q or 1y",
                      io::quoted(text)));
}

}  // namespace lacuna
