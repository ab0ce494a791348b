// SPDX-License-Identifier: MIT
// The first records of a table, and what they tell about its delimiter and columns.
#pragma once

#include <lacuna/base/base.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lacuna::io {

struct TableSample {
  std::string delimiter;  // to split at; " " is any run of blanks
  std::vector<std::vector<std::string>> rows;
  std::size_t columns = 0;       // what most rows have
  double agreement = 0;          // share of the rows that have so many
  bool tabs = false;             // most rows hold a tab
  std::optional<Error> trouble;  // with quotes, in the record that ended the sample
};

// An empty delimiter: found by trying "::", tab, ',', ';', '|' and blanks.
// Commas that can only be decimals are no delimiters.
Result<TableSample> sample_table(const std::string& path, const std::string& delimiter,
                                 std::optional<char> decimal);

enum class ColumnKind {
  kNumbers,
  kCommaNumbers,         // with a decimal comma
  kDecimalsOrThousands,  // such as 1,020
  kLooksNumeric,         // such as 1,020.50: no number, but no label either
  kWords,
};

// What most of this column's fields in rows[first_row...] are, without those that are missing. Not all of
// them: a field that is no number is to be reported, not to turn the whole column into labels.
[[nodiscard]] ColumnKind column_kind(const TableSample& sample, std::size_t first_row, std::size_t column,
                                     std::optional<char> decimal);
[[nodiscard]] bool is_number_or_missing(const std::string& field);
[[nodiscard]] bool seems_number(const std::string& field);  // or looks like one, or is missing

}  // namespace lacuna::io
