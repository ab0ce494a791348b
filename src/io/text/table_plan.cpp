// SPDX-License-Identifier: MIT
// Planning how to read a table. What the options leave open follows from the first records:
//
//   header  the first record is one when it holds a name that the options or the known modes use, or a
//           value column's usual name, or words above a value column of numbers;
//   value   a column called "value", "rating", ...; MovieLens' third; else the last, if it holds numbers.
//           None at all: each line states a fact, value 1;
//   weight  only where the options name it;
//   modes   all other columns, but not MovieLens' time stamps unless they are to be binned.
//
// With known modes the columns are found by the modes' names in the header, else taken in the modes' order.
#include "io/text/table_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>

#include "io/text/number.hpp"
#include "io/text/table_sample.hpp"

namespace lacuna::io {
namespace {

constexpr std::array<std::string_view, 6> kValueNames = {"value", "rating", "score", "y", "weight", "count"};
constexpr double kEarliestStamp = 1e8;  // 1973; smaller numbers are more likely indices or values

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

bool contains(const std::vector<int>& list, int item) {
  return std::find(list.begin(), list.end(), item) != list.end();
}

bool is_column_number(const std::string& reference) {
  std::uint64_t number = 0;
  return parse_index(reference, number);
}

class Planner {
 public:
  Planner(const std::string& path, const ReadOptions& options, TableSample sample)
      : path_(path), options_(options), sample_(std::move(sample)) {}

  Result<TablePlan> plan();

 private:
  [[nodiscard]] bool known() const { return options_.known_modes != nullptr; }
  [[nodiscard]] const std::string& first_record(int column) const;
  [[nodiscard]] std::size_t first_data_row() const { return header_ ? 1 : 0; }
  [[nodiscard]] bool holds_numbers(int column) const;

  void count_columns();
  [[nodiscard]] bool looks_like_movielens() const;
  [[nodiscard]] bool is_movielens_stamp(int column) const;
  [[nodiscard]] bool find_header() const;
  [[nodiscard]] bool first_record_has_named_column() const;
  [[nodiscard]] bool first_record_names_known_modes() const;
  [[nodiscard]] std::optional<int> value_column_by_name(bool holding_numbers) const;
  [[nodiscard]] bool may_be_weight(int column) const;

  Result<int> resolve(const std::string& reference) const;
  Result<> resolve_options();
  Result<> resolve_weight();
  Result<> choose_value();
  Result<> choose_modes();
  Result<> choose_known_modes();

  const std::string& path_;
  const ReadOptions& options_;
  TableSample sample_;
  int columns_ = 0;
  bool movielens_ = false;
  bool header_ = false;
  std::vector<std::string> names_;  // of the columns, empty when they have none
  std::vector<int> stated_;         // options.columns
  std::vector<int> binned_;         // options.bins
  std::vector<int> modes_;
  int value_ = -1;
  int weight_ = -1;
  bool all_ones_ = false;
};

const std::string& Planner::first_record(int column) const {
  static const std::string kNothing;
  const auto& row = sample_.rows.front();
  return static_cast<std::size_t>(column) < row.size() ? row[static_cast<std::size_t>(column)] : kNothing;
}

bool Planner::holds_numbers(int column) const {
  return is_number_column(sample_, first_data_row(), static_cast<std::size_t>(column));
}

void Planner::count_columns() {
  columns_ = static_cast<int>(sample_.columns);
  if (!known()) return;
  // Lines with a value and lines without may be mixed: the longer ones set the layout.
  const std::size_t order = options_.known_modes->size();
  const bool mixed = std::all_of(sample_.rows.begin(), sample_.rows.end(), [&](const auto& row) {
    return row.size() == order || row.size() == order + 1;
  });
  for (const auto& row : sample_.rows) {
    if (mixed) columns_ = std::max(columns_, static_cast<int>(row.size()));
  }
}

// "user::item::rating::stamp" or the same with tabs, without a header.
bool Planner::looks_like_movielens() const {
  if (columns_ != 4 || options_.header.value_or(false)) return false;
  const bool colons = sample_.delimiter == "::";
  if (!colons && sample_.delimiter != "\t" && !(sample_.delimiter == " " && sample_.tabs)) return false;
  std::size_t alike = 0;
  for (const auto& row : sample_.rows) {
    double stamp = 0;
    if (row.size() != 4 || !std::all_of(row.begin(), row.end(), is_number_or_empty)) continue;
    if (colons || (parse_number(row[3], stamp) && stamp >= kEarliestStamp)) ++alike;
  }
  if (2 * alike <= sample_.rows.size()) return false;
  if (!known()) return true;
  const auto& modes = *options_.known_modes;
  return modes.size() == 2 || (modes.size() == 3 && modes[2].binning.has_value());
}

// The newer MovieLens sets have the header "userId,movieId,rating,timestamp".
bool Planner::is_movielens_stamp(int column) const {
  const bool header =
      header_ && columns_ == 4 && lower(names_[2]) == "rating" && lower(names_[3]) == "timestamp";
  return column == 3 && (movielens_ || header);
}

bool Planner::first_record_has_named_column() const {
  const auto is_there = [&](const std::string& reference) {
    if (reference.empty() || is_column_number(reference)) return false;
    for (int c = 0; c < columns_; ++c) {
      if (lower(first_record(c)) == lower(reference)) return true;
    }
    return false;
  };
  return (options_.value_column != "none" && is_there(options_.value_column)) ||
         is_there(options_.weight_column) ||
         std::any_of(options_.columns.begin(), options_.columns.end(), is_there) ||
         std::any_of(options_.bins.begin(), options_.bins.end(),
                     [&](const BinRequest& bin) { return is_there(bin.column); });
}

bool Planner::first_record_names_known_modes() const {
  const auto is_named = [&](const Mode& mode) {
    for (int c = 0; c < columns_; ++c) {
      if (first_record(c) == mode.name) return true;
    }
    return false;
  };
  return std::all_of(options_.known_modes->begin(), options_.known_modes->end(), is_named);
}

// Asked before it is known whether there is a header, and so whether columns have names.
bool Planner::may_be_weight(int column) const {
  const std::string& reference = options_.weight_column;
  return !reference.empty() &&
         (lower(first_record(column)) == lower(reference) || reference == std::to_string(column + 1));
}

std::optional<int> Planner::value_column_by_name(bool holding_numbers) const {
  for (const std::string_view name : kValueNames) {
    for (int c = 0; c < columns_; ++c) {
      if (lower(first_record(c)) != name || contains(stated_, c) || contains(binned_, c) || may_be_weight(c))
        continue;
      if (name == "y" && c != columns_ - 1) continue;  // more likely a coordinate
      if (!holding_numbers || is_number_column(sample_, 1, static_cast<std::size_t>(c))) return c;
    }
  }
  return std::nullopt;
}

bool Planner::find_header() const {
  if (options_.header) return *options_.header;
  if (known() && first_record_names_known_modes()) return true;
  if (movielens_) return false;
  std::uint64_t number = 0;
  if (parse_index(options_.value_column, number) && number >= 1 &&
      number <= static_cast<std::uint64_t>(columns_)) {
    return !is_number_or_empty(first_record(static_cast<int>(number) - 1));
  }
  if (first_record_has_named_column()) return true;
  if (options_.value_column == "none") return false;
  if (value_column_by_name(true)) return true;
  if (known() && static_cast<std::size_t>(columns_) <= options_.known_modes->size()) return false;
  // The last column that may hold values: words above numbers are a header.
  int last = columns_ - 1;
  const auto refers_to = [](const std::string& reference, int column) {
    return reference == std::to_string(column + 1);
  };
  const auto taken = [&](int column) {
    return may_be_weight(column) ||
           std::any_of(options_.columns.begin(), options_.columns.end(),
                       [&](const std::string& c) { return refers_to(c, column); }) ||
           std::any_of(options_.bins.begin(), options_.bins.end(),
                       [&](const BinRequest& bin) { return refers_to(bin.column, column); });
  };
  while (last > 0 && taken(last)) --last;
  return sample_.rows.size() > 1 && !is_number_or_empty(first_record(last)) &&
         is_number_column(sample_, 1, static_cast<std::size_t>(last));
}

Result<int> Planner::resolve(const std::string& reference) const {
  const auto exact = std::find(names_.begin(), names_.end(), reference);
  if (exact != names_.end()) return static_cast<int>(exact - names_.begin());
  const auto alike = std::find_if(names_.begin(), names_.end(),
                                  [&](const std::string& name) { return lower(name) == lower(reference); });
  if (alike != names_.end()) return static_cast<int>(alike - names_.begin());
  if (movielens_ && lower(reference) == "timestamp") return 3;
  std::uint64_t number = 0;
  if (parse_index(reference, number) && number >= 1 && number <= static_cast<std::uint64_t>(columns_)) {
    return static_cast<int>(number) - 1;
  }
  const auto& there = names_.empty() ? sample_.rows.front() : names_;
  return usage_error(path_, fmt::format("there is no column {} among {}, expected one of these names or a "
                                        "number from 1 to {}",
                                        quoted(reference),
                                        quoted(fmt::format("{}", fmt::join(there, ", ")), 200), columns_));
}

Result<> Planner::resolve_options() {
  for (const std::string& reference : options_.columns) {
    const auto column = resolve(reference);
    if (!column) return column.error();
    if (contains(stated_, *column)) {
      return usage_error(path_, fmt::format("the column {} is named twice", quoted(reference)));
    }
    stated_.push_back(*column);
  }
  if (auto resolved = resolve_weight(); !resolved) return resolved;
  if (known()) return Nothing{};  // the model says which modes are binned
  for (const BinRequest& bin : options_.bins) {
    const auto column = resolve(bin.column);
    if (!column) return column.error();
    if (bin.width <= 0) return usage_error(path_, "a bin's width must be > 0 seconds");
    if (contains(binned_, *column) || (!stated_.empty() && !contains(stated_, *column))) {
      return usage_error(
          path_, fmt::format("the binned column {} is {}", quoted(bin.column),
                             contains(binned_, *column) ? "named twice" : "not among the mode columns"));
    }
    if (*column == weight_) {
      return usage_error(path_, fmt::format("the column {} cannot be both a mode and the weight",
                                            quoted(options_.weight_column)));
    }
    binned_.push_back(*column);
  }
  return Nothing{};
}

Result<> Planner::resolve_weight() {
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

Result<> Planner::choose_value() {
  if (options_.value_column == "none") {
    all_ones_ = true;
    return Nothing{};
  }
  if (!options_.value_column.empty()) {
    const auto column = resolve(options_.value_column);
    if (!column && known()) return Nothing{};  // cells to predict have no value yet
    if (!column) return column.error();
    if (contains(stated_, *column) || contains(binned_, *column)) {
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
  if (header_) {
    if (const auto named = value_column_by_name(false); named && !contains(modes_, *named)) {
      value_ = *named;
      return Nothing{};
    }
  }
  if (movielens_ && !contains(stated_, 2) && weight_ != 2) {
    value_ = 2;
    return Nothing{};
  }
  std::vector<int> candidates;
  for (int c = 0; c < columns_; ++c) {
    if (c == weight_ || contains(stated_, c) || contains(binned_, c) || contains(modes_, c)) continue;
    // Next to columns found by name, left-over time stamps are no values.
    if (known() && header_ && lower(names_[static_cast<std::size_t>(c)]) == "timestamp") continue;
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

Result<> Planner::choose_modes() {
  if (!stated_.empty()) {
    modes_ = stated_;
    return Nothing{};
  }
  for (int c = 0; c < columns_; ++c) {
    if (c == value_ || c == weight_ || (is_movielens_stamp(c) && !contains(binned_, c))) continue;
    modes_.push_back(c);
  }
  if (modes_.empty()) {
    return input_error(path_,
                       fmt::format("found {} column and delimiter {}, expected columns for modes and a value",
                                   columns_, quoted(sample_.delimiter)));
  }
  return Nothing{};
}

Result<> Planner::choose_known_modes() {
  const auto& wanted = *options_.known_modes;
  if (!stated_.empty()) {
    modes_ = stated_;
  } else if (header_ && first_record_names_known_modes()) {
    for (const Mode& mode : wanted) {
      const auto at = std::find(names_.begin(), names_.end(), mode.name);
      modes_.push_back(static_cast<int>(at - names_.begin()));
    }
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

Result<TablePlan> Planner::plan() {
  count_columns();
  movielens_ = looks_like_movielens();
  header_ = find_header();
  movielens_ = movielens_ && !header_;
  if (header_) {
    for (int c = 0; c < columns_; ++c) names_.push_back(first_record(c));
  } else if (movielens_) {
    names_ = {"user", "item", "rating", "time"};
  }
  if (const auto resolved = resolve_options(); !resolved) return resolved.error();
  if (known()) {
    if (const auto chosen = choose_known_modes(); !chosen) return chosen.error();
  } else {
    if (const auto chosen = choose_value(); !chosen) return chosen.error();
    if (const auto chosen = choose_modes(); !chosen) return chosen.error();
  }

  TablePlan plan;
  plan.split_at = sample_.delimiter;
  plan.layout.delimiter = sample_.delimiter == " " && sample_.tabs ? "\t" : sample_.delimiter;
  if (header_) plan.layout.header = names_;
  plan.layout.mode_columns = modes_;
  plan.layout.value_column = value_;
  plan.layout.weight_column = weight_;
  plan.layout.columns = columns_;
  plan.all_ones = all_ones_;
  for (std::size_t k = 0; k < modes_.size(); ++k) {
    const auto column = static_cast<std::size_t>(modes_[k]);
    const bool named = !names_.empty() && !names_[column].empty();
    plan.mode_names.push_back(named ? names_[column] : fmt::format("mode{}", k + 1));
    const auto bin = std::find(binned_.begin(), binned_.end(), modes_[k]);
    plan.bin_widths.push_back(
        bin == binned_.end() ? 0 : options_.bins[static_cast<std::size_t>(bin - binned_.begin())].width);
  }
  return plan;
}

}  // namespace

Result<TablePlan> plan_table(const std::string& path, const ReadOptions& options) {
  auto sample = sample_table(path, options.delimiter);
  if (!sample) return sample.error();
  if (sample->rows.empty()) return sample->trouble.value_or(input_error(path, "no entries"));
  return Planner(path, options, std::move(*sample)).plan();
}

}  // namespace lacuna::io
