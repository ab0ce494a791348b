// SPDX-License-Identifier: MIT
// Time stamps: bins of the calendar, what they are called, and clocks of other places.
#include <cstdlib>
#include <string>

#include "io/text/time.hpp"
#include "text_files.hpp"

namespace lacuna::text_test {
namespace {

using io::TimeZone;

class Time : public TextFiles {
 protected:
  // The mode that a column of these stamps makes, and the bins of the stamps.
  Mode binned(const Labels& stamps, const std::string& width, const std::string& zone = "") {
    std::string content = "who,time,value\n";
    for (const std::string& stamp : stamps) content += "a," + stamp + ",1\n";
    ReadOptions options;
    options.bins = {*parse_bin_width(width)};
    options.bins[0].column = "time";
    options.time_zone = zone;
    const TensorFile file = read_fine("a.csv", content, options);
    bins = positions(file.entries.cells, 1);
    written = folder.path("b.csv");
    EXPECT_TRUE(write_tensor(written, file).ok());
    text = folder.read("b.csv");
    return file.modes[1];
  }
  Row bins;
  std::string written;
  std::string text;
};

std::int64_t seconds(const std::string& stamp, const TimeZone& zone = {}) {
  std::int64_t out = 0;
  EXPECT_TRUE(io::parse_stamp(stamp, zone, out)) << stamp;
  return out;
}

TEST_F(Time, MonthsQuartersAndYearsFollowTheCalendar) {
  Mode mode = binned({"2024-01-31", "2023-12-31 23:59:59", "2024-02-29", "2024-03-01T00:00:00Z"}, "1M");
  EXPECT_EQ(mode.labels, Labels({"2023-12-01", "2024-01-01", "2024-02-01", "2024-03-01"}));
  EXPECT_EQ(bins, Row({1, 0, 2, 3}));
  EXPECT_NE(text.find("a,2024-02-01,1\n"), std::string::npos);
  mode = binned({"2024-05-31", "2023-12-31"}, "1Q");
  EXPECT_EQ(mode.labels, Labels({"2023-10-01", "2024-01-01", "2024-04-01"}));
  EXPECT_EQ(bins, Row({2, 0}));
  mode = binned({"2024-05-31", "2022-12-31"}, "1y");
  EXPECT_EQ(mode.labels, Labels({"2022-01-01", "2023-01-01", "2024-01-01"}));
  mode = binned({"1969-12-31", "-86400", "0"}, "1M");  // numbers of seconds, too
  EXPECT_EQ(mode.labels, Labels({"1969-12-01", "1970-01-01"}));
  EXPECT_EQ(bins, Row({0, 0, 1}));
}

TEST_F(Time, WeeksBeginOnMondays) {
  const Mode mode = binned({"2024-03-03", "2024-03-04", "2024-03-18"}, "1w");  // a Sunday, Mondays
  EXPECT_EQ(mode.labels, Labels({"2024-02-26", "2024-03-04", "2024-03-11", "2024-03-18"}));
  EXPECT_EQ(bins, Row({0, 1, 3}));
}

TEST_F(Time, FixedBinsAreCalledAsTheStampsWere) {
  binned({"2024-03-03", "2024-03-12"}, "7d");
  EXPECT_EQ(text, "who,time,value\na,2024-03-03,1\na,2024-03-10,1\n");
  binned({"2024-03-03 05:30", "2024-03-03T07:00:00+00:00"}, "1h");
  EXPECT_EQ(text, "who,time,value\na,2024-03-03 05:30:00,1\na,2024-03-03 06:30:00,1\n");
  binned({"100", "2000"}, "1000");
  EXPECT_EQ(text, "who,time,value\na,100,1\na,1100,1\n");
}

TEST_F(Time, TheOnlyColumnOfDatesNeedsNoName) {
  ReadOptions options;
  options.bins = {*parse_bin_width("1M")};
  EXPECT_EQ(read_fine("a.csv", "who,when,value\na,2024-01-05,1\na,2024-03-05,2\n", options).modes[1].size,
            3U);
  EXPECT_NE(read_error("a.csv", "who,from,to,value\na,2024-01-05,2024-01-05,1\n", options)
                .find("found 2 columns of dates"),
            std::string::npos);
  options.wide = "day";
  EXPECT_EQ(read_fine("a.csv", "who,2024-01-05,2024-01-06,2024-02-01\na,1,2,3\n", options).modes[1].labels,
            Labels({"2024-01-01", "2024-02-01"}));
}

TEST_F(Time, KnownBinsTakeNewOnesAfterTheirOwnAndStayBins) {
  const Mode month = binned({"2024-01-31", "2024-03-01"}, "1M");
  const std::vector<Mode> known = {{.name = "who", .size = 1, .labels = {"a"}}, month};
  ReadOptions options;
  options.known_modes = &known;
  options.index_base = 1;
  const TensorFile grown = read_fine("a.csv", "a,2024-02-14\na,2025-01-01\na,2023-07-04\n", options);
  EXPECT_EQ(grown.modes[1].labels,
            Labels({"2024-01-01", "2024-02-01", "2024-03-01", "2025-01-01", "2023-07-01"}));
  EXPECT_EQ(positions(grown.entries.cells, 1), Row({1, 3, 4}));
  options.known_modes = &grown.modes;
  EXPECT_EQ(positions(read_fine("a.csv", "a,2023-07-31\na,2024-03-31\n", options).entries.cells, 1),
            Row({4, 2}));
}

TEST_F(Time, WidthsThatAreNone) {
  for (const char* const bad : {"", "w", "0M", "1x", "-1M", "1.5M", "99999y", "M1", "0"}) {
    const auto refused = parse_bin_width(bad);
    ASSERT_FALSE(refused.ok()) << bad;
    EXPECT_NE(refused.error().what.find("1w, 1M, 1Q or 1y"), std::string::npos);
  }
  EXPECT_EQ(io::width_text({.width = 86400}), "1 day");
  EXPECT_EQ(io::width_text({.width = 5400}), "90 minutes");
  EXPECT_EQ(io::width_text({.width = 61}), "61 seconds");
  EXPECT_EQ(io::width_text({.width = 6, .unit = BinUnit::kMonth}), "6 months");
  EXPECT_EQ(parse_bin_width("2Q")->width, 6);
  EXPECT_EQ(parse_bin_width("30m")->width, 1800);
  EXPECT_EQ(parse_bin_width("30m")->unit, BinUnit::kSecond);
  ReadOptions options;
  options.bins = {*parse_bin_width("1M")};
  options.bins[0].column = "time";
  EXPECT_EQ(read_error("a.csv", "who,time,value\na,4e17,1\nb,0,1\n", options),
            "a.csv:2:3: found '4e17', expected a time stamp of the years 0 to 9999");
}

TEST_F(Time, OffsetsAreReadRight) {
  EXPECT_EQ(seconds("1970-01-01T01:00:00+01:00"), 0);
  EXPECT_EQ(seconds("1970-01-01 00:00:00Z"), 0);
  EXPECT_EQ(seconds("1969-12-31 19:00:00-0500"), 0);
  EXPECT_EQ(seconds("1970-01-01 05:30:00 +0530"), 0);
  EXPECT_EQ(seconds("1970-01-01t00:00:00z"), 0);
}

TEST_F(Time, ClocksOfPlaces) {
  const auto berlin = TimeZone::find("Europe/Berlin");
  if (!berlin) GTEST_SKIP() << "this machine has no tables of time zones";
  EXPECT_EQ(seconds("2024-01-15 12:00", *berlin), seconds("2024-01-15 11:00Z"));
  EXPECT_EQ(seconds("2024-07-15 12:00", *berlin), seconds("2024-07-15 10:00Z"));
  EXPECT_EQ(seconds("2024-07-15 12:00+05:00", *berlin), seconds("2024-07-15 07:00Z"));
  EXPECT_EQ(seconds("2024-10-27 02:30", *berlin), seconds("2024-10-27 00:30Z"));  // the first of two
  EXPECT_EQ(seconds("2024-03-31 02:30", *berlin), seconds("2024-03-31 01:30Z"));  // never shown: 03:30
  // Beyond the table, by the rule for all years to come: from the last Sunday of March to that of October.
  EXPECT_EQ(seconds("2100-07-15 12:00", *berlin), seconds("2100-07-15 10:00Z"));
  EXPECT_EQ(seconds("2100-12-15 12:00", *berlin), seconds("2100-12-15 11:00Z"));
  const auto sydney = TimeZone::find("Australia/Sydney");  // summer at the turn of the year
  ASSERT_TRUE(sydney.ok());
  EXPECT_EQ(seconds("2101-01-15 12:00", *sydney), seconds("2101-01-15 01:00Z"));
  EXPECT_EQ(seconds("2101-07-15 12:00", *sydney), seconds("2101-07-15 02:00Z"));
}

TEST_F(Time, TheCalendarIsThatOfTheZone) {
  if (!TimeZone::find("America/New_York")) GTEST_SKIP() << "this machine has no tables of time zones";
  const Mode mode = binned({"2024-02-01T03:00:00Z", "2024-02-01 00:00"}, "1M", "America/New_York");
  EXPECT_EQ(mode.labels, Labels({"2024-01-01", "2024-02-01"}));
  EXPECT_EQ(mode.time_zone, "America/New_York");
  binned({"2024-03-10 01:30", "2024-03-10 03:30"}, "1h", "America/New_York");  // the clock skips two to three
  EXPECT_EQ(text, "who,time,value\na,2024-03-10 01:30:00-05:00,1\na,2024-03-10 03:30:00-04:00,1\n");
  binned({"2024-03-10 01:30", "2024-03-10 03:30"}, "1h", "+02:00");
  EXPECT_EQ(text, "who,time,value\na,2024-03-10 01:30:00+02:00,1\na,2024-03-10 03:30:00+02:00,1\n");
}

TEST_F(Time, ZonesThatAreNone) {
  for (const char* const bad :
       {"Europe/Berln", "../../etc/passwd", "/etc/localtime", "+25:00", "+1:99x", "posixrules/", "Europe"})
    EXPECT_FALSE(TimeZone::find(bad).ok()) << bad;
  const auto misspelt = TimeZone::find("Europe/Berln");
  if (TimeZone::find("Europe/Berlin").ok()) {
    EXPECT_NE(misspelt.error().what.find("did you mean Europe/Berlin?"), std::string::npos);
  }
  const std::string head = std::string("TZif2") + std::string(15, '\0');
  for (const std::string& bytes : {std::string(), std::string("TZif"), head, head + std::string(24, '\xff'),
                                   head + std::string(24, '\0')})
    EXPECT_FALSE(TimeZone::from_bytes(bytes).has_value());
}

}  // namespace
}  // namespace lacuna::text_test
