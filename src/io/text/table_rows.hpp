// SPDX-License-Identifier: MIT
// The records of a wide table as they stand in its file, so that one written alike keeps every byte that it does not
// change, and where each of them lies, so that this is done only to entries that are still where they were.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::io {

struct TableRows {
  std::string split_at;                 // as TablePlan::split_at
  std::string line_break = "\n";        // behind the header
  std::string text;                     // all records, the header's first
  std::vector<std::size_t> begin;       // of each in the text
  Cells cells;                          // of each row; along the mode across the columns all 0
  std::vector<Index> across;            // where each value column lies along that mode
  std::optional<double> missing_value;  // means missing, too

  void add(std::string_view record) {
    begin.push_back(text.size());
    text += record;
  }
  [[nodiscard]] Count rows() const { return static_cast<Count>(begin.size()) - 1; }
  [[nodiscard]] std::string_view header() const { return record(0); }
  [[nodiscard]] std::string_view row(Count r) const { return record(static_cast<std::size_t>(r) + 1); }

 private:
  [[nodiscard]] std::string_view record(std::size_t i) const {
    const std::size_t end = i + 1 < begin.size() ? begin[i + 1] : text.size();
    return std::string_view(text).substr(begin[i], end - begin[i]);
  }
};

}  // namespace lacuna::io
