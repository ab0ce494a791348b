// SPDX-License-Identifier: MIT
// What a table's first records tell before the columns have a meaning: how many there are, whether the first
// record is a header, whether it is one of the MovieLens files that have none.
//
// The first record is a header when it holds a name that the options or one of the known modes use, or a value
// column's usual name, or words above a value column of numbers.
#pragma once

#include <lacuna/io/files.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/table_sample.hpp"

namespace lacuna::io {

[[nodiscard]] std::string lower(std::string_view text);

class TableHead {
 public:
  // Both must outlive it. The sample has at least one row.
  TableHead(const ReadOptions& options, const TableSample& sample);

  [[nodiscard]] int columns() const { return columns_; }
  [[nodiscard]] bool header() const { return header_; }
  [[nodiscard]] bool movielens() const { return movielens_; }  // "user::item::rating::stamp", no header
  [[nodiscard]] const std::string& first_record(int column) const;
  // Some of the known modes' names, not counting numbers and labels of the mode that has this place.
  [[nodiscard]] bool first_record_names_a_known_mode() const;
  // Of a wide table the known mode that lies across the columns: the one that the first record does not name, where it
  // names all others. kNone: there is no such mode. Unless the options ask for a wide table, labels of it must be there.
  static constexpr int kNone = -1;
  [[nodiscard]] int known_wide_mode() const { return wide_mode_; }
  // The column that the first record gives this name, in these letters or else in capital or small ones, a nameless one
  // being called by its number; kNone: there is none.
  [[nodiscard]] int column_called(const std::string& name) const;
  // The column that the first record calls "value", "rating", ..., unless it is taken.
  [[nodiscard]] std::optional<int> value_column_by_name(bool holding_numbers,
                                                        const std::vector<int>& taken) const;
  [[nodiscard]] bool may_hold_numbers(std::size_t first_row, int column) const;
  [[nodiscard]] bool is_one_line_of_words() const;

 private:
  [[nodiscard]] bool known() const { return options_.known_modes != nullptr; }
  void count_columns();
  [[nodiscard]] bool looks_like_movielens() const;
  [[nodiscard]] bool find_header() const;
  [[nodiscard]] bool first_record_has_named_column() const;
  [[nodiscard]] bool may_be_weight(int column) const;
  [[nodiscard]] bool asks_for_wide() const { return options_.wide || !options_.value_columns.empty(); }
  [[nodiscard]] int find_wide_mode() const;

  const ReadOptions& options_;
  const TableSample& sample_;
  int columns_ = 0;
  bool movielens_ = false;
  bool header_ = false;
  int wide_mode_ = kNone;
};

}  // namespace lacuna::io
