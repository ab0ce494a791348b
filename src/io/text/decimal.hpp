// SPDX-License-Identifier: MIT
// Numbers as people write them in tables: with a decimal comma, with separators between thousands, or as a
// word for "no value".
#pragma once

#include <string_view>

namespace lacuna::io {

// Nothing, or a word that spreadsheets, databases and statistics programs write for it: NA, N/A, #N/A, null,
// None, -, in any case. NaN is a number to parse_decimal.
[[nodiscard]] bool is_missing_word(std::string_view text);

// As parse_number, with `mark` (',' or '.') before the decimals.
[[nodiscard]] bool parse_decimal(std::string_view text, char mark, double& value);

// A value of a table: a finite number, or NaN for what is missing.
[[nodiscard]] bool parse_table_value(std::string_view text, char mark, double& value);

// Digits and what stands between and beside them: 20,99 or 1,020.50 or 1'000, $5 or 12 EUR or 5 % or (5) or 1/2, whether
// or not it is a number here.
[[nodiscard]] bool looks_numeric(std::string_view text);

// 1,020 is 1.02 with a decimal comma and 1020 with commas between thousands. 0,123 and 20,99 can only be
// decimals.
[[nodiscard]] bool may_be_thousands(std::string_view text);

}  // namespace lacuna::io
