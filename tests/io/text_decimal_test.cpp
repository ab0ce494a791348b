// SPDX-License-Identifier: MIT
// Tables whose numbers are not written the way programmers do: they are understood, or refused by name, but
// never taken for something else.
#include <algorithm>

#include "io/text/decimal.hpp"
#include "text_files.hpp"

namespace lacuna::text_test {
namespace {

class Decimal : public TextFiles {};

TEST_F(Decimal, CommasAreUnderstoodWhereNothingElseMakesSense) {
  const Values expected = {20.99, 5, -0.125};
  for (const char* const content :
       {"user;item;price\na;x;20,99\nb;x;5\nb;y;-0,125\n", "a;x;20,99\nb;x;5\nb;y;-0,125\n",
        "a\tx\t20,99\nb\tx\t5\nb\ty\t-0,125\n", "a|x|20,99\nb|x|5\nb|y|-0,125\n",
        "user item price\na x 20,99\nb x 5\nb y -0,125\n", "a,x,\"20,99\"\nb,x,5\nb,y,\"-0,125\"\n"}) {
    const TensorFile file = read_fine("a.csv", content);
    EXPECT_EQ(file.modes.size(), 2U) << content;
    EXPECT_EQ(file.entries.value, expected) << content;
    EXPECT_EQ(file.table.decimal, ',') << content;
  }
}

// Each column of numbers with a comma makes one more column when split at commas.
TEST_F(Decimal, CommasThatAreAllDecimalsAreNoDelimiters) {
  const TensorFile file = read_fine("a.csv", "1,5;2,5;3,5\n1,5;3,5;4,5\n");
  EXPECT_EQ(file.table.delimiter, ";");
  EXPECT_EQ(file.modes[0].labels, Labels({"1,5"}));
  EXPECT_EQ(file.entries.value, Values({3.5, 4.5}));
  EXPECT_EQ(read_error("a.csv", "1 2 20,99\n2 2 5,50\n"),
            "a.csv: found commas that may separate columns or stand before decimals, expected to be told the "
            "delimiter or the decimal mark");
  EXPECT_EQ(read_fine("a.csv", "1 2 20,99\n2 2 5,50\n", {.decimal = ','}).entries.value,
            Values({20.99, 5.5}));
  EXPECT_EQ(read_fine("a.csv", "1, 2, 3.5\n2, 2, 4.5\n").entries.value, Values({3.5, 4.5}));
}

TEST_F(Decimal, DecimalsThatMayBeThousandsAreAskedFor) {
  const char* const content = "a;x;5\nb;x;1,234\n";
  EXPECT_EQ(
      read_error("a.csv", content),
      "a.csv: found numbers such as 1,234 in column 3, which may be decimals or thousands, expected to be "
      "told the decimal mark: --decimal , or --decimal .");
  EXPECT_EQ(read_fine("a.csv", content, {.decimal = ','}).entries.value, Values({5, 1.234}));
  EXPECT_EQ(read_error("a.csv", content, {.decimal = '.'}),
            "a.csv:2:5: found '1,234', expected a number with a decimal point");
  EXPECT_EQ(read_fine("a.csv", "a;x;1,020\nb;x;5,5\n").entries.value, Values({1.02, 5.5}));
  EXPECT_EQ(read_fine("a.csv", "a;x;0,020\nb;x;5\n").entries.value, Values({0.02, 5}));
}

TEST_F(Decimal, WhatLooksNumericIsNoLabel) {
  const std::string what = "', expected a number without separators between its digits";
  EXPECT_EQ(read_error("a.csv", "a,x,\"1,020.50\"\nb,x,\"1,000.00\"\n"), "a.csv:1:5: found '1,020.50" + what);
  EXPECT_EQ(read_error("a.csv", "a;x;1.020,50\nb;x;1.000,00\n"), "a.csv:1:5: found '1.020,50" + what);
  EXPECT_EQ(read_error("a.csv", "u;i;v\na;x;1'020\nb;x;1 000\n"), "a.csv:2:5: found '1'020" + what);
  EXPECT_EQ(read_fine("a.csv", "a;x;1'020\nb;x;1 000\n", {.value_column = "none"}).modes.size(), 3U);
  EXPECT_EQ(read_error("a.csv", "a;x;20,99\nb;x;20,98\nc;x;20.97\n"),
            "a.csv:3:5: found '20.97', expected a number with a decimal comma");
}

TEST_F(Decimal, ANumberWithACurrencyOrAPercentSignIsNoLabel) {
  for (const char* const value :
       {"$5", "5 $", "-$5", "$-5", "\u20ac5,5", "5 \u20ac", "12 EUR", "12EUR", "USD 1", "5%", "5 %", "(5)",
        "($5)", "1/2", "\u22125", "\u2212$5", "5\u00a0%", "1\u00a0000"}) {
    EXPECT_TRUE(io::looks_numeric(value)) << value;
    const std::string content = std::string("u;i;v\na;x;") + value + "\nb;y;" + value + "\n";
    const std::string told = read_error("a.csv", content);
    EXPECT_NE(told.find("a.csv:2:5: found '"), std::string::npos) << value << ": " << told;
    EXPECT_NE(told.find("expected a number"), std::string::npos) << value << ": " << told;
    EXPECT_EQ(read_fine("a.csv", content, {.value_column = "none"}).modes.size(), 3U) << value;
  }
  EXPECT_EQ(read_error("a.csv", "a,x,$5\nb,y,$6\n"),
            "a.csv:1:5: found '$5', expected a number alone, without a currency, percent sign, brackets or "
            "fraction");
  for (const char* const label :
       {"5 kg", "12 Monkeys", "u1", "1/2/2020", "AB1C", "(x)", "%", "$", "EUR", "a/b", "()"})
    EXPECT_FALSE(io::looks_numeric(label)) << label;
}

TEST_F(Decimal, WordsForNothingAreMissingValues) {
  for (const char* const word : {"", "NA", "N/A", "n/a", "#N/A", "null", "NULL", "None", "-", "nan"}) {
    const TensorFile file = read_fine("a.csv", std::string("u,i,v\na,x,") + word + "\nb,x,2\nNA,null,3\n");
    EXPECT_EQ(file.missing, 1) << word;
    EXPECT_EQ(file.modes[0].size, 3U) << word;
    EXPECT_EQ(file.entries.value[2], 3.0);
  }
  EXPECT_EQ(read_fine("a.csv", "u,i,v\na,x,-\nb,x,-\nc,x,-\nd,y,2\n").missing, 3);
}

TEST_F(Decimal, AHeaderAloneIsNoEntry) {
  const std::string message =
      "a.csv: found one line and no number in it, expected entries (or to be told that the line is no "
      "header)";
  EXPECT_EQ(read_error("a.csv", "user,item,stars\n"), message);
  EXPECT_EQ(read_error("a.csv", "user,item,stars"), message);
  EXPECT_EQ(read_error("a.csv", "user,item,stars\n", {.header = true}), "a.csv: no entries");
  EXPECT_EQ(read_fine("a.csv", "ann,likes,bob\n", {.header = false}).entries.value, Values({1}));
  EXPECT_EQ(read_fine("a.csv", "ann,likes,bob\nbob,likes,ann\n").entries.value, Values({1, 1}));
}

TEST_F(Decimal, LinesOfDifferentDelimitersAreRefusedInAnyOrder) {
  std::vector<std::string> rows = {"a,x,1\n", "b;x;2\n", "c|x|3\n", "d,y,4\n"};
  std::sort(rows.begin(), rows.end());
  do {
    EXPECT_NE(read_error("a.csv", rows[0] + rows[1] + rows[2] + rows[3]), "");
  } while (std::next_permutation(rows.begin(), rows.end()));
}

TEST_F(Decimal, ATableIsWrittenWithTheMarkItHad) {
  const std::string content = "u;i;value\na;x;20,99\nb;x;5\nb;y;-0,125\n";
  const TensorFile file = read_fine("a.csv", content);
  ASSERT_TRUE(write_tensor(folder.path("b.csv"), file).ok());
  EXPECT_EQ(folder.read("b.csv"), content);
  ASSERT_TRUE(write_tensor(folder.path("b.tsv"), file).ok());
  EXPECT_EQ(folder.read("b.tsv"), "u\ti\tvalue\na\tx\t20,99\nb\tx\t5\nb\ty\t-0,125\n");
}

TEST(DecimalText, ThousandsOrDecimals) {
  for (const char* const text : {"1,020", "-12,345", "1,020,300", "999,999"})
    EXPECT_TRUE(io::may_be_thousands(text)) << text;
  for (const char* const text : {"0,123", "20,99", "1234,567", "1,0200", "5", "1,020.5", ",123", ""})
    EXPECT_FALSE(io::may_be_thousands(text)) << text;
  for (const char* const text : {"1,020.50", "1 000", "1'000", "-3", "1e5", "10.0.0.1", ".5"})
    EXPECT_TRUE(io::looks_numeric(text)) << text;
  for (const char* const text : {"2020-01-05", "12:30", "x1", "1x", "-", ".", "", "1e", "e5", "5 kg"})
    EXPECT_FALSE(io::looks_numeric(text)) << text;
}

}  // namespace
}  // namespace lacuna::text_test
