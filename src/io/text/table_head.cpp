// SPDX-License-Identifier: MIT
#include "io/text/table_head.hpp"

#include <algorithm>
#include <array>
#include <cctype>

#include "io/text/labels.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

constexpr std::array<std::string_view, 6> kValueNames = {"value", "rating", "score", "y", "weight", "count"};
constexpr double kEarliestStamp = 1e8;  // 1973; smaller numbers are more likely indices or values

bool is_column_number(const std::string& reference) {
  std::uint64_t number = 0;
  return parse_index(reference, number);
}

}  // namespace

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

TableHead::TableHead(const ReadOptions& options, const TableSample& sample)
    : options_(options), sample_(sample) {
  count_columns();
  wide_mode_ = find_wide_mode();
  movielens_ = looks_like_movielens();
  header_ = find_header();
  movielens_ = movielens_ && !header_;
}

const std::string& TableHead::first_record(int column) const {
  static const std::string kNothing;
  const auto& row = sample_.rows.front();
  return static_cast<std::size_t>(column) < row.size() ? row[static_cast<std::size_t>(column)] : kNothing;
}

void TableHead::count_columns() {
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
bool TableHead::looks_like_movielens() const {
  if (columns_ != 4 || options_.header.value_or(false) || asks_for_wide()) return false;
  const bool colons = sample_.delimiter == "::";
  if (!colons && sample_.delimiter != "\t" && !(sample_.delimiter == " " && sample_.tabs)) return false;
  std::size_t alike = 0;
  for (const auto& row : sample_.rows) {
    double stamp = 0;
    if (row.size() != 4 || !std::all_of(row.begin(), row.end(), is_number_or_missing)) continue;
    if (colons || (parse_number(row[3], stamp) && stamp >= kEarliestStamp)) ++alike;
  }
  if (2 * alike <= sample_.rows.size()) return false;
  if (!known()) return true;
  const auto& modes = *options_.known_modes;
  return modes.size() == 2 ||
         (modes.size() == 3 && (modes[2].binning.has_value() || !modes[2].positions.empty()));
}

bool TableHead::first_record_has_named_column() const {
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
         std::any_of(options_.positions.begin(), options_.positions.end(), is_there) ||
         std::any_of(options_.bins.begin(), options_.bins.end(),
                     [&](const BinRequest& bin) { return is_there(bin.column); });
}

int TableHead::column_called(const std::string& name) const {
  for (int c = 0; c < columns_; ++c) {
    const std::string& found = first_record(c);
    if (found.empty() ? name == "mode" + std::to_string(c + 1) : found == name) return c;
  }
  for (int c = 0; c < columns_; ++c)
    if (!name.empty() && lower(first_record(c)) == lower(name)) return c;
  return kNone;
}

int TableHead::find_wide_mode() const {
  if (!known() || !options_.header.value_or(true)) return kNone;
  const auto& modes = *options_.known_modes;
  int across = kNone;
  for (std::size_t k = 0; k < modes.size(); ++k) {
    if (column_called(modes[k].name) != kNone) continue;
    if (across != kNone) return kNone;
    across = static_cast<int>(k);
  }
  if (across == kNone || asks_for_wide()) return across;
  const LabelTable labels(modes[static_cast<std::size_t>(across)].labels);
  const auto names_a_mode = [&](int c) {
    return std::any_of(modes.begin(), modes.end(),
                       [&](const Mode& mode) { return column_called(mode.name) == c; });
  };
  for (int c = 0; c < columns_; ++c)
    if (labels.find(first_record(c)) != kUnseen && !names_a_mode(c)) return across;
  return kNone;
}

bool TableHead::first_record_names_a_known_mode() const {
  const auto& modes = *options_.known_modes;
  for (int c = 0; c < columns_; ++c) {
    const std::string& field = first_record(c);
    if (field.empty() || seems_number(field)) continue;
    const bool named = std::any_of(modes.begin(), modes.end(),
                                   [&](const Mode& mode) { return lower(mode.name) == lower(field); });
    const auto at = static_cast<std::size_t>(c);
    if (named && (at >= modes.size() || LabelTable(modes[at].labels).find(field) == kUnseen)) return true;
  }
  return false;
}

// Asked before it is known whether there is a header, and so whether columns have names.
bool TableHead::may_be_weight(int column) const {
  const std::string& reference = options_.weight_column;
  return !reference.empty() &&
         (lower(first_record(column)) == lower(reference) || reference == std::to_string(column + 1));
}

std::optional<int> TableHead::value_column_by_name(bool holding_numbers,
                                                   const std::vector<int>& taken) const {
  for (const std::string_view name : kValueNames) {
    for (int c = 0; c < columns_; ++c) {
      if (lower(first_record(c)) != name || may_be_weight(c) ||
          std::find(taken.begin(), taken.end(), c) != taken.end())
        continue;
      if (name == "y" && c != columns_ - 1) continue;  // more likely a coordinate
      if (!holding_numbers || may_hold_numbers(1, c)) return c;
    }
  }
  return std::nullopt;
}

bool TableHead::find_header() const {
  if (options_.header) return *options_.header;
  if (known() && (first_record_names_a_known_mode() || wide_mode_ != kNone)) return true;
  if (!known() && asks_for_wide()) return true;
  if (movielens_) return false;
  std::uint64_t number = 0;
  if (parse_index(options_.value_column, number) && number >= 1 &&
      number <= static_cast<std::uint64_t>(columns_)) {
    return !seems_number(first_record(static_cast<int>(number) - 1));
  }
  if (first_record_has_named_column()) return true;
  if (options_.value_column == "none") return false;
  if (value_column_by_name(true, {})) return true;
  if (known() && static_cast<std::size_t>(columns_) <= options_.known_modes->size()) return false;
  // The last column that may hold values: words above numbers are a header.
  int last = columns_ - 1;
  const auto refers_to = [](const std::string& reference, int column) {
    return reference == std::to_string(column + 1);
  };
  const auto taken = [&](int column) {
    const auto is_column = [&](const std::string& reference) { return refers_to(reference, column); };
    return may_be_weight(column) ||
           std::any_of(options_.columns.begin(), options_.columns.end(), is_column) ||
           std::any_of(options_.positions.begin(), options_.positions.end(), is_column) ||
           std::any_of(options_.bins.begin(), options_.bins.end(),
                       [&](const BinRequest& bin) { return refers_to(bin.column, column); });
  };
  while (last > 0 && taken(last)) --last;
  return sample_.rows.size() > 1 && !seems_number(first_record(last)) && may_hold_numbers(1, last);
}

bool TableHead::may_hold_numbers(std::size_t first_row, int column) const {
  return column_kind(sample_, first_row, static_cast<std::size_t>(column), options_.decimal) !=
         ColumnKind::kWords;
}

bool TableHead::is_one_line_of_words() const {
  const auto& row = sample_.rows.front();
  return sample_.rows.size() == 1 && std::none_of(row.begin(), row.end(), seems_number);
}

}  // namespace lacuna::io
