// SPDX-License-Identifier: MIT
// The files are those of RFC 8536: a block for old readers with 32-bit times, a block with 64-bit times, and a line with
// the rule for all years to come, such as "CET-1CEST,M3.5.0,M10.5.0/3". Every count is held against the file's size.
#include "io/text/time_zone.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>

#include "base/nearest.hpp"
#include "io/file/byte_file.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

constexpr std::uint64_t kLargestFile = std::uint64_t{1} << 20;
constexpr std::size_t kHeadBytes = 44;
constexpr std::int64_t kDay = 86400;

bool may_be_offset(std::int64_t seconds) { return seconds > -kDay && seconds < kDay; }

std::string folder_of_zones() {
  const char* const asked = std::getenv("TZDIR");
  return asked != nullptr && *asked != '\0' ? asked : "/usr/share/zoneinfo";
}

struct BlockCounts {
  std::uint64_t changes = 0;
  std::uint64_t types = 0;
  std::uint64_t other_bytes = 0;  // behind changes and types

  [[nodiscard]] std::uint64_t bytes(std::uint64_t time_bytes) const {
    return changes * (time_bytes + 1) + types * 6 + other_bytes;
  }
};

std::optional<BlockCounts> read_head(std::string_view bytes, std::uint64_t time_bytes) {
  if (bytes.size() < kHeadBytes || bytes.substr(0, 4) != "TZif") return std::nullopt;
  const auto count = [&](std::size_t i) {
    return std::uint64_t{load_u32(reinterpret_cast<const unsigned char*>(bytes.data()) + 20 + 4 * i, true)};
  };
  const BlockCounts counts{.changes = count(3),
                           .types = count(4),
                           .other_bytes = count(5) + count(2) * (time_bytes + 4) + count(1) + count(0)};
  if (counts.types == 0 || counts.types > 256 || bytes.size() - kHeadBytes < counts.bytes(time_bytes))
    return std::nullopt;
  return counts;
}

// The n-th such weekday of a month, in days since 1970.
std::int64_t day_of(const YearlyChange& change, std::int64_t year) {
  using namespace std::chrono;
  const auto month_of_year = std::chrono::year(static_cast<int>(year)) / change.month;
  const weekday day(static_cast<unsigned>(change.weekday));
  const sys_days found = change.week == 5 ? sys_days(month_of_year / day[last])
                                          : sys_days(month_of_year / day[static_cast<unsigned>(change.week)]);
  return found.time_since_epoch().count();
}

std::int64_t year_of(std::int64_t seconds) {
  // 400 years are always as long.
  constexpr std::int64_t kCycle = std::int64_t{146097} * kDay;
  const std::int64_t cycles = seconds >= 0 ? seconds / kCycle : -((kCycle - 1 - seconds) / kCycle);
  const auto days = std::chrono::days((seconds - cycles * kCycle) / kDay);
  return 400 * cycles + int{std::chrono::year_month_day(std::chrono::sys_days(days)).year()};
}

// Goes through the text of a rule.
class RuleScanner {
 public:
  explicit RuleScanner(std::string_view text) : text_(text) {}

  bool take(char c) {
    if (text_.empty() || text_[0] != c) return false;
    text_.remove_prefix(1);
    return true;
  }
  bool skip_name() {
    if (take('<')) {
      const std::size_t close = text_.find('>');
      if (close == std::string_view::npos) return false;
      text_.remove_prefix(close + 1);
      return true;
    }
    std::size_t letters = 0;
    while (letters < text_.size() && (text_[letters] | 0x20) >= 'a' && (text_[letters] | 0x20) <= 'z')
      ++letters;
    text_.remove_prefix(letters);
    return letters >= 3;
  }
  bool number(std::int64_t& value) {
    const char* p = text_.data();
    std::uint64_t digits = 0;
    if (!parse_digits(p, text_.data() + text_.size(), digits) || digits > 100000) return false;
    text_.remove_prefix(static_cast<std::size_t>(p - text_.data()));
    value = static_cast<std::int64_t>(digits);
    return true;
  }
  // [+-]hh[:mm[:ss]]
  bool time(std::int64_t& seconds) {
    const bool negative = take('-');
    if (!negative) take('+');
    seconds = 0;
    for (std::int64_t unit = 3600; unit >= 1; unit /= 60) {
      std::int64_t part = 0;
      if (!number(part)) return false;
      seconds += unit * part;
      if (!take(':')) break;
    }
    if (negative) seconds = -seconds;
    return true;
  }
  // Mm.w.d[/time]
  bool change(YearlyChange& change) {
    std::int64_t month = 0;
    std::int64_t week = 0;
    std::int64_t day = 0;
    if (!take('M') || !number(month) || !take('.') || !number(week) || !take('.') || !number(day))
      return false;
    if (month < 1 || month > 12 || week < 1 || week > 5 || day > 6) return false;
    change = {
        .month = static_cast<int>(month), .week = static_cast<int>(week), .weekday = static_cast<int>(day)};
    constexpr std::int64_t kWeek = 7 * kDay;
    return !take('/') || (time(change.seconds) && change.seconds > -kWeek && change.seconds < kWeek);
  }
  [[nodiscard]] bool done() const { return text_.empty(); }
  [[nodiscard]] bool at_number() const {
    return !text_.empty() && (is_digit(text_[0]) || text_[0] == '-' || text_[0] == '+');
  }

 private:
  std::string_view text_;
};

// "+01:00", "-0330", "+5"
std::optional<std::int64_t> parse_offset(std::string_view text) {
  if (text.size() < 2 || (text[0] != '+' && text[0] != '-')) return std::nullopt;
  std::string digits(text.substr(1));
  if (digits.size() == 4 && digits.find(':') == std::string::npos)
    digits = fmt::format("{}:{}", digits.substr(0, 2), digits.substr(2));
  RuleScanner scan(digits);
  std::int64_t seconds = 0;
  if (!is_digit(digits[0]) || !scan.time(seconds) || !scan.done() || seconds >= kDay) return std::nullopt;
  return text[0] == '-' ? -seconds : seconds;
}

bool may_be_name(const std::string& name) {
  const bool letters = std::all_of(name.begin(), name.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '+' || c == '-' || c == '/';
  });
  return letters && name.size() < 100 && name.front() != '/' && name.back() != '/';
}

std::string meant(const std::string& name) {
  std::vector<std::string> names;
  std::error_code none;
  const std::filesystem::path folder = folder_of_zones();
  for (auto at = std::filesystem::recursive_directory_iterator(folder, none);
       at != std::filesystem::recursive_directory_iterator(); at.increment(none)) {
    const std::string found = at->path().lexically_relative(folder).string();
    if (at->is_regular_file(none) && found.compare(0, 6, "posix/") != 0 && found.compare(0, 6, "right/") != 0)
      names.push_back(found);
  }
  std::sort(names.begin(), names.end());
  const auto near = nearest(name, names);
  return near ? fmt::format("; did you mean {}?", *near) : "";
}

}  // namespace

std::optional<TimeZone::Summer> TimeZone::parse_rule(std::string_view text) {
  RuleScanner scan(text);
  Summer rule;
  std::int64_t west = 0;
  if (!scan.skip_name() || !scan.time(west)) return std::nullopt;
  rule.winter_offset = -west;
  if (scan.done() || !scan.skip_name()) return std::nullopt;
  rule.summer_offset = rule.winter_offset + 3600;
  if (scan.at_number()) {
    if (!scan.time(west)) return std::nullopt;
    rule.summer_offset = -west;
  }
  if (!scan.take(',') || !scan.change(rule.begin) || !scan.take(',') || !scan.change(rule.end) ||
      !scan.done() || !may_be_offset(rule.winter_offset) || !may_be_offset(rule.summer_offset))
    return std::nullopt;
  return rule;
}

std::optional<TimeZone> TimeZone::from_bytes(std::string_view bytes) {
  const auto old = read_head(bytes, 4);
  if (!old || bytes[4] < '2') return std::nullopt;  // all that are made today have 64-bit times
  bytes.remove_prefix(kHeadBytes + static_cast<std::size_t>(old->bytes(4)));
  const auto counts = read_head(bytes, 8);
  if (!counts) return std::nullopt;
  const auto* const times = reinterpret_cast<const unsigned char*>(bytes.data()) + kHeadBytes;
  const unsigned char* const kinds = times + 8 * counts->changes;
  const unsigned char* const types = kinds + counts->changes;
  const auto offset_of = [&](std::uint64_t type) {
    return std::int64_t{static_cast<std::int32_t>(load_u32(types + 6 * type, true))};
  };
  TimeZone zone;
  zone.first_offset_ = offset_of(0);
  if (!may_be_offset(zone.first_offset_)) return std::nullopt;
  for (std::uint64_t i = 0; i < counts->changes; ++i) {
    const Change change{.at = static_cast<std::int64_t>(load_u64(times + 8 * i, true)),
                        .offset = kinds[i] < counts->types ? offset_of(kinds[i]) : kDay};
    const bool ascends = zone.change_.empty() || zone.change_.back().at < change.at;
    if (!ascends || !may_be_offset(change.offset)) return std::nullopt;
    zone.change_.push_back(change);
  }
  std::string_view rule = bytes.substr(kHeadBytes + static_cast<std::size_t>(counts->bytes(8)));
  if (!rule.empty() && rule[0] == '\n') rule.remove_prefix(1);
  zone.summer_ = parse_rule(rule.substr(0, rule.find('\n')));
  return zone;
}

Result<TimeZone> TimeZone::find(const std::string& name) {
  TimeZone zone;
  if (name.empty() || name == "UTC" || name == "Z") return zone;
  if (const auto offset = parse_offset(name)) {
    zone.first_offset_ = *offset;
    return zone;
  }
  const auto refuse = [&] {
    return usage_error(
        "", fmt::format("found the time zone {}, expected a name of {} such as Europe/Berlin, or an "
                        "offset such as +01:00{}",
                        io::quoted(name), folder_of_zones(), meant(name)));
  };
  if (!may_be_name(name)) return refuse();
  const std::string path = folder_of_zones() + "/" + name;
  std::error_code none;
  if (!std::filesystem::is_regular_file(path, none)) return refuse();
  const auto file = ByteFile::open(path);
  if (!file || file->size() > kLargestFile) return refuse();
  const auto bytes = file->bytes(0, file->size());
  if (!bytes) return bytes.error();
  auto read = from_bytes({reinterpret_cast<const char*>(bytes->data()), bytes->size()});
  if (!read) return input_error(path, "found a file that is no table of a time zone");
  return std::move(*read);
}

std::int64_t TimeZone::offset_at(std::int64_t utc) const {
  const auto after = std::upper_bound(change_.begin(), change_.end(), utc,
                                      [](std::int64_t moment, const Change& c) { return moment < c.at; });
  if (after == change_.end() && summer_) {
    const std::int64_t year = year_of(utc + summer_->winter_offset);
    if (year < -32000 || year > 32000) return summer_->winter_offset;
    const std::int64_t begin =
        day_of(summer_->begin, year) * kDay + summer_->begin.seconds - summer_->winter_offset;
    const std::int64_t end =
        day_of(summer_->end, year) * kDay + summer_->end.seconds - summer_->summer_offset;
    const bool summer = begin < end ? begin <= utc && utc < end : !(end <= utc && utc < begin);
    return summer ? summer_->summer_offset : summer_->winter_offset;
  }
  return after == change_.begin() ? first_offset_ : std::prev(after)->offset;
}

std::int64_t TimeZone::to_utc(std::int64_t clock) const {
  const std::int64_t before = offset_at(clock - kDay);
  const std::int64_t after = offset_at(clock + kDay);
  if (offset_at(clock - before) == before || offset_at(clock - after) != after) return clock - before;
  return clock - after;
}

}  // namespace lacuna::io
