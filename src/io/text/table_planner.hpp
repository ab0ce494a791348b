// SPDX-License-Identifier: MIT
// How plan_table goes about it: what is said in the options is resolved first, what is left open follows from the first
// records. table_plan.cpp has the rules of tables with a line for each cell, wide_plan.cpp those of wide ones.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "io/text/table_head.hpp"
#include "io/text/table_plan.hpp"
#include "io/text/table_sample.hpp"

namespace lacuna::io {

[[nodiscard]] inline bool contains(const std::vector<int>& list, int item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

inline constexpr int kAcross = -1;  // instead of a column: the mode across the columns

class TablePlanner {
 public:
  TablePlanner(const std::string& path, const ReadOptions& options, TableSample sample)
      : path_(path), options_(options), sample_(std::move(sample)), head_(options_, sample_) {}

  Result<TablePlan> plan();

 private:
  [[nodiscard]] bool known() const { return options_.known_modes != nullptr; }
  [[nodiscard]] std::size_t first_data_row() const { return head_.header() ? 1 : 0; }
  [[nodiscard]] bool holds_numbers(int column) const {
    return head_.may_hold_numbers(first_data_row(), column);
  }
  [[nodiscard]] bool is_movielens_stamp(int column) const;
  // Said to be a mode.
  [[nodiscard]] bool is_asked_for(int column) const {
    return contains(stated_, column) || contains(binned_, column) || contains(placed_, column);
  }
  void name_columns();

  Result<int> resolve(const std::string& reference) const;
  Result<> resolve_options();
  Result<> resolve_weight();
  Result<> resolve_bins();
  Result<> resolve_positions();
  Result<int> resolve_mode(const std::string& reference, const char* kind) const;
  Result<> choose_value();
  Result<> state_value();
  Result<> guess_value();
  [[nodiscard]] std::string number_with_comma(int column) const;
  Result<> choose_decimal();
  Result<> choose_modes();
  Result<> choose_known_modes();
  Result<> find_known_modes();

  // Wide tables.
  [[nodiscard]] bool is_wide_mode(const std::string& reference) const {
    return wide_ && reference == wide_name_;
  }
  void find_wide();
  Result<> choose_wide();
  Result<> state_value_columns();
  void guess_index_columns();
  void choose_value_columns();
  void choose_known_index_columns();
  Result<> check_wide() const;
  [[nodiscard]] bool holds_words(int column) const;  // or dates
  [[nodiscard]] bool holds_dates(int column) const;
  Result<std::string> only_date_column() const;
  [[nodiscard]] TablePlan make_plan() const;

  const std::string& path_;
  const ReadOptions& options_;
  TableSample sample_;
  TableHead head_;
  int columns_ = head_.columns();
  std::vector<std::string> names_;  // of the columns, empty when they have none
  std::vector<int> stated_;         // options.columns
  std::vector<int> binned_;         // options.bins, one after the other
  std::vector<int> placed_;         // options.positions
  std::vector<int> modes_;
  int value_ = -1;
  int weight_ = -1;
  bool all_ones_ = false;
  char decimal_ = '.';
  bool wide_ = false;
  std::string wide_name_;               // of the mode across the columns
  std::vector<int> value_columns_;      // of a wide table
  std::optional<BinRequest> wide_bin_;  // of that mode
  bool wide_placed_ = false;            // its labels are positions
};

}  // namespace lacuna::io
