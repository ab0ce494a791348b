// SPDX-License-Identifier: MIT
// The first records of a table, and what they tell about its delimiter and columns.
#pragma once

#include <lacuna/base/result.hpp>
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
Result<TableSample> sample_table(const std::string& path, const std::string& delimiter);

// Whether most of what this column holds in rows[first_row...] is numbers. Not all of it: a field that is
// none is to be reported, not to turn the whole column into labels.
bool is_number_column(const TableSample& sample, std::size_t first_row, std::size_t column);
bool is_number_or_empty(const std::string& field);

}  // namespace lacuna::io
