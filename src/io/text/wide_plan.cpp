// SPDX-License-Identifier: MIT
// Planning how to read a wide table, which has one mode across its columns:
//
//   index   the columns that say where a row lies: those that are named, else all but the value columns where these are
//           named, else those that hold words or dates, else the first;
//   values  the columns that are named, else all others, but not words where the index columns are named. Their names are the labels of the mode across the columns.
//
// With known modes the index columns are found by the modes' names; the mode without a column is the one across.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "io/text/labels.hpp"
#include "io/text/number.hpp"
#include "io/text/table_planner.hpp"
#include "io/text/time.hpp"

namespace lacuna::io {
namespace {

constexpr const char* kVariable = "variable";  // the mode of several value columns

}  // namespace

// Options of a fit may stay for files that have a line for each cell.
void TablePlanner::find_wide() {
  const bool asked = options_.wide || !options_.value_columns.empty();
  wide_ = known() ? head_.known_wide_mode() != TableHead::kNone : asked;
  if (!wide_) return;
  wide_name_ = known() ? (*options_.known_modes)[static_cast<std::size_t>(head_.known_wide_mode())].name
                       : options_.wide.value_or(kVariable);
}

bool TablePlanner::holds_words(int column) const {
  return column_kind(sample_, first_data_row(), static_cast<std::size_t>(column), options_.decimal) ==
         ColumnKind::kWords;
}

bool TablePlanner::holds_dates(int column) const {
  std::size_t dates = 0;
  std::size_t others = 0;
  for (std::size_t r = first_data_row(); r < sample_.rows.size(); ++r) {
    const auto& row = sample_.rows[r];
    double moment = 0;
    if (static_cast<std::size_t>(column) >= row.size()) continue;
    ++(parse_moment(row[static_cast<std::size_t>(column)], moment) ? dates : others);
  }
  return dates > others;
}

// For bins that do not say of which column.
Result<std::string> TablePlanner::only_date_column() const {
  std::vector<int> dates;
  for (int c = 0; c < columns_; ++c)
    if (holds_dates(c)) dates.push_back(c);
  if (dates.size() == 1) return std::to_string(dates.front() + 1);
  double moment = 0;
  if (dates.empty() && wide_ && parse_moment(head_.first_record(columns_ - 1), moment)) return wide_name_;
  return usage_error(
      path_,
      fmt::format("found {} columns of dates, expected one, or to be told the column to bin", dates.size()));
}

Result<> TablePlanner::state_value_columns() {
  for (const std::string& reference : options_.value_columns) {
    const auto column = resolve(reference);
    if (!column && known()) continue;  // cells to predict may be of some of them
    if (!column) return column.error();
    if (contains(value_columns_, *column))
      return usage_error(path_, fmt::format("the value column {} is named twice", quoted(reference)));
    value_columns_.push_back(*column);
  }
  return Nothing{};
}

void TablePlanner::guess_index_columns() {
  for (int c = 0; c < columns_; ++c) {
    if (contains(value_columns_, c)) continue;
    if (!value_columns_.empty() || is_asked_for(c) || holds_words(c)) modes_.push_back(c);
  }
  if (modes_.empty()) modes_.push_back(0);
}

void TablePlanner::choose_value_columns() {
  const Mode* const across =
      known() ? &(*options_.known_modes)[static_cast<std::size_t>(head_.known_wide_mode())] : nullptr;
  const LabelTable labels(across != nullptr ? across->labels : std::vector<std::string>());
  for (int c = 0; c < columns_; ++c) {
    if (contains(modes_, c) || c == weight_) continue;
    // Words next to columns that are named, or that a model knows, are remarks.
    const bool remarks =
        known() ? !options_.wide && labels.find(head_.first_record(c)) == kUnseen : !stated_.empty();
    if (remarks && holds_words(c)) continue;
    value_columns_.push_back(c);
  }
}

void TablePlanner::choose_known_index_columns() {
  for (const Mode& mode : *options_.known_modes)
    modes_.push_back(mode.name == wide_name_ ? kAcross : head_.column_called(mode.name));
}

Result<> TablePlanner::check_wide() const {
  if (value_columns_.empty())
    return input_error(path_,
                       fmt::format("found no column beside {}, expected columns of values, one for each "
                                   "position along mode '{}'",
                                   quoted(fmt::format("{}", fmt::join(names_, ", ")), 200), wide_name_));
  std::set<std::string> seen;
  for (const int column : value_columns_) {
    const std::string& name = names_[static_cast<std::size_t>(column)];
    if (contains(modes_, column))
      return usage_error(path_, fmt::format("the column {} cannot be both a mode and a value", quoted(name)));
    if (!seen.insert(name).second)
      return input_error(
          path_, fmt::format("found two columns called {}, expected a name only once: it is a label of "
                             "mode '{}'",
                             quoted(name), wide_name_));
  }
  for (const int column : modes_)
    if (column != kAcross && names_[static_cast<std::size_t>(column)] == wide_name_)
      return usage_error(path_,
                         fmt::format("there is a column {}, expected another name for the mode across the "
                                     "columns",
                                     quoted(wide_name_)));
  return Nothing{};
}

Result<> TablePlanner::choose_wide() {
  if (!head_.header())
    return usage_error(
        path_, fmt::format("a table without a header cannot be wide: expected the names of its columns, "
                           "which are the labels of mode '{}'",
                           wide_name_));
  if (weight_ >= 0)
    return usage_error(path_, "a wide table cannot have a weight column, expected a line for each cell");
  if (!options_.value_column.empty() && !known())
    return usage_error(
        path_, fmt::format("a wide table has a value in many columns, expected no single value column {}",
                           quoted(options_.value_column)));
  if (auto stated = state_value_columns(); !stated) return stated;
  if (known()) {
    choose_known_index_columns();
  } else if (stated_.empty()) {
    guess_index_columns();
  } else {
    modes_ = stated_;
  }
  if (value_columns_.empty()) choose_value_columns();
  if (!known()) modes_.push_back(kAcross);
  value_ = value_columns_.empty() ? -1 : value_columns_.front();
  return check_wide();
}

}  // namespace lacuna::io
