// SPDX-License-Identifier: MIT
// Planning how to read a table. What the options leave open follows from the first records:
//
//   header  see table_head.hpp;
//   value   a column called "value", "rating", ...; MovieLens' third; else the last, if it holds numbers or
//           what looks like them. None at all: each line states a fact, value 1;
//   decimal a comma when the numbers of the value or weight column can be read in no other way;
//   weight  only where the options name it;
//   modes   all other columns, but not MovieLens' time stamps unless they are to be binned or positions.
//
// Wide tables have rules of their own (wide_plan.cpp).
// With known modes a header has to name them all, unless none of them ever had a name; without one the columns are taken in the
// modes' order.
#include "io/text/table_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

#include "base/nearest.hpp"
#include "io/text/number.hpp"
#include "io/text/table_planner.hpp"

namespace lacuna::io {

// The newer MovieLens sets have the header "userId,movieId,rating,timestamp".
bool TablePlanner::is_movielens_stamp(int column) const {
  const bool header =
      head_.header() && columns_ == 4 && lower(names_[2]) == "rating" && lower(names_[3]) == "timestamp";
  return column == 3 && (head_.movielens() || header);
}

Result<int> TablePlanner::resolve(const std::string& reference) const {
  const auto exact = std::find(names_.begin(), names_.end(), reference);
  if (exact != names_.end()) return static_cast<int>(exact - names_.begin());
  const auto alike = std::find_if(names_.begin(), names_.end(),
                                  [&](const std::string& name) { return lower(name) == lower(reference); });
  if (alike != names_.end()) return static_cast<int>(alike - names_.begin());
  if (head_.movielens() && lower(reference) == "timestamp") return 3;
  std::uint64_t number = 0;
  if (parse_index(reference, number) && number >= 1 && number <= static_cast<std::uint64_t>(columns_)) {
    return static_cast<int>(number) - 1;
  }
  const auto& there = names_.empty() ? sample_.rows.front() : names_;
  const auto meant = nearest(reference, names_);
  return usage_error(
      path_, fmt::format("there is no column {} among {}, expected one of these names or a "
                         "number from 1 to {}{}",
                         quoted(reference), quoted(fmt::format("{}", fmt::join(there, ", ")), 200), columns_,
                         meant ? fmt::format("; did you mean {}?", quoted(*meant)) : ""));
}

Result<> TablePlanner::resolve_options() {
  for (const std::string& reference : options_.columns) {
    const auto column = resolve(reference);
    if (!column) return column.error();
    if (contains(stated_, *column)) {
      return usage_error(path_, fmt::format("the column {} is named twice", quoted(reference)));
    }
    stated_.push_back(*column);
  }
  if (auto resolved = resolve_weight(); !resolved) return resolved;
  if (known()) return Nothing{};  // the model says what its modes are
  if (auto resolved = resolve_bins(); !resolved) return resolved;
  return resolve_positions();
}

// A column that is to be binned or to hold positions, which makes it a mode.
Result<int> TablePlanner::resolve_mode(const std::string& reference, const char* kind) const {
  const auto column = resolve(reference);
  if (!column) return column.error();
  const bool twice = contains(binned_, *column) || contains(placed_, *column);
  if (twice || (!stated_.empty() && !contains(stated_, *column))) {
    return usage_error(path_, fmt::format("the {} column {} is {}", kind, quoted(reference),
                                          twice ? "named twice" : "not among the mode columns"));
  }
  if (*column == weight_) {
    return usage_error(path_, fmt::format("the column {} cannot be both a mode and the weight",
                                          quoted(options_.weight_column)));
  }
  return *column;
}

Result<> TablePlanner::resolve_bins() {
  for (const BinRequest& bin : options_.bins) {
    if (bin.width <= 0) return usage_error(path_, "a bin's width must be > 0");
    std::string reference = bin.column;
    if (reference.empty()) {
      const auto found = only_date_column();
      if (!found) return found.error();
      reference = *found;
    }
    if (is_wide_mode(reference)) {
      wide_bin_ = bin;
      binned_.push_back(kAcross);
      continue;
    }
    const auto column = resolve_mode(reference, "binned");
    if (!column) return column.error();
    binned_.push_back(*column);
  }
  return Nothing{};
}

Result<> TablePlanner::resolve_positions() {
  for (const std::string& reference : options_.positions) {
    if (is_wide_mode(reference)) {
      wide_placed_ = true;
      continue;
    }
    const auto column = resolve_mode(reference, "position");
    if (!column) return column.error();
    placed_.push_back(*column);
  }
  return Nothing{};
}

Result<> TablePlanner::resolve_weight() {
  if (options_.weight_column.empty()) return Nothing{};
  const auto column = resolve(options_.weight_column);
  if (!column && known()) return Nothing{};  // cells to predict need no weight
  if (!column) return column.error();
  if (contains(stated_, *column)) {
    return usage_error(path_, fmt::format("the column {} cannot be both a mode and the weight",
                                          quoted(options_.weight_column)));
  }
  weight_ = *column;
  return Nothing{};
}

Result<> TablePlanner::choose_value() {
  if (options_.value_column != "none") return options_.value_column.empty() ? guess_value() : state_value();
  all_ones_ = true;
  return Nothing{};
}

Result<> TablePlanner::state_value() {
  const auto column = resolve(options_.value_column);
  if (!column && known()) return Nothing{};  // cells to predict have no value yet
  if (!column) return column.error();
  if (is_asked_for(*column)) {
    return usage_error(path_, fmt::format("the column {} cannot be both a mode and the value",
                                          quoted(options_.value_column)));
  }
  if (*column == weight_) {
    return usage_error(path_, fmt::format("the column {} cannot be both the weight and the value",
                                          quoted(options_.value_column)));
  }
  value_ = *column;
  return Nothing{};
}

Result<> TablePlanner::guess_value() {
  if (head_.header()) {
    std::vector<int> taken = stated_;
    taken.insert(taken.end(), binned_.begin(), binned_.end());
    taken.insert(taken.end(), placed_.begin(), placed_.end());
    if (const auto named = head_.value_column_by_name(false, taken); named && !contains(modes_, *named)) {
      value_ = *named;
      return Nothing{};
    }
  }
  if (head_.movielens() && !is_asked_for(2) && weight_ != 2) {
    value_ = 2;
    return Nothing{};
  }
  std::vector<int> candidates;
  for (int c = 0; c < columns_; ++c) {
    if (c == weight_ || is_asked_for(c) || contains(modes_, c)) continue;
    // Next to columns found by name, left-over time stamps are no values.
    if (known() && head_.header() && lower(names_[static_cast<std::size_t>(c)]) == "timestamp") continue;
    candidates.push_back(c);
  }
  if (!candidates.empty() && holds_numbers(candidates.back())) {
    value_ = candidates.back();
    return Nothing{};
  }
  if (known()) return Nothing{};
  const auto number =
      std::find_if(candidates.begin(), candidates.end(), [&](int c) { return holds_numbers(c); });
  if (number == candidates.end()) {
    all_ones_ = true;
    return Nothing{};
  }
  return input_error(path_,
                     fmt::format("found numbers in column {} but not in the last one, expected to be told "
                                 "the value column, or 'none' when each line stands for a 1",
                                 *number + 1));
}

Result<> TablePlanner::choose_modes() {
  if (!stated_.empty()) {
    modes_ = stated_;
    return Nothing{};
  }
  for (int c = 0; c < columns_; ++c) {
    if (c == value_ || c == weight_ || (is_movielens_stamp(c) && !is_asked_for(c))) continue;
    modes_.push_back(c);
  }
  if (modes_.empty()) {
    return input_error(path_,
                       fmt::format("found {} column and delimiter {}, expected columns for modes and a value",
                                   columns_, quoted(sample_.delimiter)));
  }
  return Nothing{};
}

// By the header's names. Columns that it calls something else are never taken for a mode by their place: what they hold could
// be of another mode, whose labels would be taken for new ones.
Result<> TablePlanner::find_known_modes() {
  std::vector<std::string> wanted;
  std::vector<int> found;
  std::string missing;
  bool nameless = !head_.first_record_names_a_known_mode();
  for (const Mode& mode : *options_.known_modes) {
    wanted.push_back(mode.name);
    nameless = nameless && mode.name == fmt::format("mode{}", wanted.size());
    const int column = head_.column_called(mode.name);
    if (missing.empty() && (column == TableHead::kNone || contains(found, column))) missing = mode.name;
    found.push_back(column);
  }
  if (missing.empty()) modes_ = found;
  if (missing.empty() || nameless) return Nothing{};
  std::vector<std::string> others;  // that could have been meant
  for (int c = 0; c < columns_; ++c)
    if (!contains(found, c)) others.push_back(names_[static_cast<std::size_t>(c)]);
  const auto meant = nearest(missing, others);
  return input_error(
      path_,
      fmt::format("found the header {} without {}, expected the names of all modes, {}, or to be told which "
                  "columns they are{}",
                  quoted(fmt::format("{}", fmt::join(names_, ", ")), 200), quoted(missing),
                  fmt::join(wanted, ", "),
                  meant ? fmt::format("; does {} stand for {}?", quoted(*meant), quoted(missing)) : ""));
}

Result<> TablePlanner::choose_known_modes() {
  const auto& wanted = *options_.known_modes;
  if (!stated_.empty()) {
    modes_ = stated_;
  } else if (head_.header()) {
    if (auto found = find_known_modes(); !found) return found;
  }
  const bool in_order = modes_.empty();
  if (in_order && static_cast<std::size_t>(columns_ - (weight_ < 0 ? 0 : 1)) == wanted.size()) {
    for (int c = 0; c < columns_; ++c)
      if (c != weight_) modes_.push_back(c);
  }
  if (auto chosen = choose_value(); !chosen) return chosen;
  if (contains(modes_, value_)) value_ = -1;  // there is no column left for it
  if (in_order && modes_.empty()) {
    for (int c = 0; c < columns_; ++c) {
      if (c != value_ && c != weight_ && !(is_movielens_stamp(c) && wanted.size() == 2)) modes_.push_back(c);
    }
  }
  if (modes_.size() == wanted.size()) return Nothing{};
  std::vector<std::string> mode_names;
  for (const Mode& mode : wanted) mode_names.push_back(mode.name);
  return input_error(path_, fmt::format("found {} columns, expected the modes {} and maybe a value", columns_,
                                        fmt::join(mode_names, ", ")));
}

void TablePlanner::name_columns() {
  if (head_.header()) {
    for (int c = 0; c < columns_; ++c) names_.push_back(head_.first_record(c));
  } else if (head_.movielens()) {
    names_ = {"user", "item", "rating", "time"};
  }
}

// The first in the sample, which has some.
std::string TablePlanner::number_with_comma(int column) const {
  const auto k = static_cast<std::size_t>(column);
  for (std::size_t r = first_data_row(); r < sample_.rows.size(); ++r)
    if (k < sample_.rows[r].size() && sample_.rows[r][k].find(',') != std::string::npos)
      return std::string(trim(sample_.rows[r][k]));
  return "1,020";
}

Result<> TablePlanner::choose_decimal() {
  decimal_ = options_.decimal.value_or('.');
  if (options_.decimal) return Nothing{};
  std::vector<int> numbers = value_columns_;
  for (const int column : {value_, weight_})
    if (column >= 0) numbers.push_back(column);
  for (const int column : numbers) {
    const ColumnKind kind =
        column_kind(sample_, first_data_row(), static_cast<std::size_t>(column), std::nullopt);
    if (kind == ColumnKind::kDecimalsOrThousands) {
      return input_error(
          path_, fmt::format("found numbers such as {} in column {}, which may be decimals or "
                             "thousands, expected to be told the decimal mark: --decimal , or --decimal .",
                             number_with_comma(column), column + 1));
    }
    if (kind == ColumnKind::kCommaNumbers) decimal_ = ',';
  }
  return Nothing{};
}

Result<TablePlan> TablePlanner::plan() {
  name_columns();
  for (const std::string& name : names_)
    if (!is_utf8(name))
      return input_error(path_, fmt::format("found the column {}, expected UTF-8 text", quoted(name)));
  find_wide();
  if (!known() && !options_.header && options_.value_column.empty() && !head_.header() &&
      head_.is_one_line_of_words()) {
    return input_error(
        path_,
        "found one line and no number in it, expected entries (or to be told that the line is no "
        "header)");
  }
  if (const auto resolved = resolve_options(); !resolved) return resolved.error();
  if (wide_) {
    if (const auto chosen = choose_wide(); !chosen) return chosen.error();
  } else if (known()) {
    if (const auto chosen = choose_known_modes(); !chosen) return chosen.error();
  } else {
    if (const auto chosen = choose_value(); !chosen) return chosen.error();
    if (const auto chosen = choose_modes(); !chosen) return chosen.error();
  }
  if (const auto chosen = choose_decimal(); !chosen) return chosen.error();
  return make_plan();
}

TablePlan TablePlanner::make_plan() const {
  TablePlan plan;
  plan.split_at = sample_.delimiter;
  plan.layout.delimiter = sample_.delimiter == " " && sample_.tabs ? "\t" : sample_.delimiter;
  if (head_.header()) plan.layout.header = names_;
  plan.layout.decimal = decimal_;
  plan.layout.mode_columns = modes_;
  plan.layout.value_column = value_;
  plan.layout.weight_column = weight_;
  plan.layout.columns = columns_;
  plan.all_ones = all_ones_;
  plan.layout.value_columns = value_columns_;
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    if (modes_[k] == kAcross) {
      plan.layout.wide_mode = static_cast<int>(k);
      plan.mode_names.push_back(wide_name_);
      plan.placed.push_back(wide_placed_);
      plan.bins.push_back(wide_bin_);
      continue;
    }
    const auto column = static_cast<std::size_t>(modes_[k]);
    const bool named = !names_.empty() && !names_[column].empty();
    plan.mode_names.push_back(named ? names_[column] : fmt::format("mode{}", k + 1));
    plan.placed.push_back(contains(placed_, modes_[k]));
    const auto bin = std::find(binned_.begin(), binned_.end(), modes_[k]);
    plan.bins.push_back(bin == binned_.end()
                            ? std::nullopt
                            : std::optional(options_.bins[static_cast<std::size_t>(bin - binned_.begin())]));
  }
  return plan;
}

Result<TablePlan> plan_table(const std::string& path, const ReadOptions& options) {
  if (options.decimal && *options.decimal != ',' && *options.decimal != '.')
    throw std::invalid_argument("a decimal mark that is neither ',' nor '.'");
  auto sample = sample_table(path, options.delimiter, options.decimal);
  if (!sample) return sample.error();
  if (sample->rows.empty()) return sample->trouble.value_or(input_error(path, "no entries"));
  return TablePlanner(path, options, std::move(*sample)).plan();
}

}  // namespace lacuna::io
