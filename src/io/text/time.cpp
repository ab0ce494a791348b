// SPDX-License-Identifier: MIT
// Parsing of time stamps and durations.
#include "io/text/time.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
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
  if (scan.one_of("Z")) return true;
  if (scan.one_of("+-")) {
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

bool parse_date(std::string_view text, Moment& moment) {
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
  return scan.one_of(" T") && parse_clock(scan, moment) && scan.done();
}

}  // namespace

bool parse_stamp(std::string_view text, std::int64_t& seconds) {
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
  if (!parse_date(text, moment)) return false;
  seconds = moment.seconds;
  return true;
}

bool parse_moment(std::string_view text, double& seconds) {
  Moment moment;
  if (!parse_date(trim(text), moment)) return false;
  seconds = static_cast<double>(moment.seconds) + moment.fraction;
  return true;
}

bool parse_position(std::string_view text, char decimal, double& position) {
  text = trim(text);
  if (parse_decimal(text, decimal, position)) return std::isfinite(position);
  return parse_moment(text, position);
}

std::int64_t bin_of(std::int64_t seconds, const Binning& binning) {
  const std::int64_t since = seconds - binning.origin;
  const std::int64_t bin = since / binning.width;
  return since % binning.width < 0 ? bin - 1 : bin;
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

}  // namespace lacuna
