// SPDX-License-Identifier: MIT
// Which columns of a table are modes, which one holds the value, and what they are called.
#pragma once

#include <lacuna/io/files.hpp>
#include <optional>
#include <string>
#include <vector>

namespace lacuna::io {

struct TablePlan {
  TableLayout layout;
  std::string split_at;                         // the delimiter to split at; " " is any run of blanks
  std::vector<std::string> mode_names;          // for each mode
  std::vector<std::optional<BinRequest>> bins;  // for each mode; none: not binned
  std::vector<bool> placed;                     // for each mode: its fields are positions
  bool all_ones = false;  // there is no value column: a line's value is 1, otherwise missing
};

// From the options and the file's first records.
Result<TablePlan> plan_table(const std::string& path, const ReadOptions& options);

}  // namespace lacuna::io
