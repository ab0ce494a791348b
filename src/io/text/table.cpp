// SPDX-License-Identifier: MIT
// Reading tables: CSV, TSV, MovieLens files, knowledge-graph triples. What the columns mean is planned first
// (table_plan.cpp); then each record is split and its fields go to their columns.
#include "io/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "dist/agreement.hpp"
#include "io/text/decimal.hpp"
#include "io/text/fields.hpp"
#include "io/text/index_lines.hpp"
#include "io/text/mode_column.hpp"
#include "io/text/number.hpp"
#include "io/text/table_plan.hpp"
#include "io/text/table_rows.hpp"

namespace lacuna::io {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

Error wrong_value(const RecordReader& records, const Field& field, char decimal) {
  double value = 0;
  const std::string_view text = trim(field.text);
  const char* expected = "a number";
  if (parse_decimal(text, decimal, value))
    expected = "a finite number";
  else if (parse_decimal(text, decimal == ',' ? '.' : ',', value))
    expected = decimal == ',' ? "a number with a decimal comma" : "a number with a decimal point";
  else if (looks_numeric(text))
    expected = text.find_first_not_of("0123456789.,'_ +-eE") == std::string_view::npos
                   ? "a number without separators between its digits"
                   : "a number alone, without a currency, percent sign, brackets or fraction";
  return input_error(records.where(field),
                     fmt::format("found {}, expected {}", quoted(field.text), expected));
}

Error wrong_weight(const RecordReader& records, const Field& field) {
  return input_error(records.where(field),
                     fmt::format("found {}, expected a weight: a number >= 0", quoted(field.text)));
}

Error wrong_columns(const TextReader& reader, const RecordReader& records, int expected) {
  const auto fields = records.fields();
  const auto limit = static_cast<std::size_t>(expected);
  const std::size_t offset = fields.size() > limit ? fields[limit].offset : records.record().size();
  return input_error(
      reader.where(records.record(), offset),
      fmt::format("found {} column{}, expected {}", fields.size(), fields.size() == 1 ? "" : "s", expected));
}

Result<std::vector<ModeColumn>> make_columns(const std::string& path, const ReadOptions& options,
                                             const TablePlan& plan) {
  std::vector<ModeColumn> columns;
  if (options.known_modes != nullptr) {
    for (const Mode& mode : *options.known_modes) {
      const bool plain = mode.labels.empty() && !mode.binning;
      auto column = ModeColumn::of_known(mode, plain ? known_base(options) : 0);
      if (!column) return column.error();
      columns.push_back(std::move(*column));
    }
    return columns;
  }
  const auto rules =
      index_line_rules(path, options, options.index_base, static_cast<int>(plan.mode_names.size()));
  if (!rules) return rules.error();
  for (std::size_t k = 0; k < plan.mode_names.size(); ++k) {
    const std::string& name = plan.mode_names[k];
    if (plan.bins[k]) {
      columns.push_back(ModeColumn::of_stamps(name, *plan.bins[k]));
    } else if (plan.placed[k]) {
      columns.push_back(ModeColumn::of_positions(name, plan.layout.decimal));
    } else if (options.table_indices) {
      columns.push_back(ModeColumn::of_indices(name, rules->smallest, rules->largest[k]));
    } else {
      columns.push_back(ModeColumn::of_labels(name));
    }
    if (auto set = columns.back().set_zone(options.time_zone); !set) return set.error();
  }
  return columns;
}

class TableReader {
 public:
  TableReader(const TablePlan& plan, const ReadOptions& options, std::vector<ModeColumn> columns)
      : plan_(plan),
        columns_(std::move(columns)),
        missing_value_(options.missing_value),
        value_optional_(options.known_modes != nullptr && !is_wide() &&
                        plan.layout.value_column == plan.layout.columns - 1) {}

  // The lines of one range after the other. One that begins a file has its header.
  Result<> read(const TextRange& range);
  [[nodiscard]] Count size() const { return static_cast<Count>(values_.size()); }
  std::vector<ModeColumn>& columns() { return columns_; }
  std::vector<double> take_values() { return std::move(values_); }
  std::vector<double> take_weights() { return std::move(weights_); }
  TableRows& rows() { return rows_; }

 private:
  [[nodiscard]] bool is_wide() const { return plan_.layout.wide_mode >= 0; }
  Result<> add_header(const TextReader& reader, const RecordReader& records);
  Result<> add_positions(const RecordReader& records);
  Result<> add_record(const RecordReader& records);
  Result<> add_row(const RecordReader& records);

  const TablePlan& plan_;
  std::vector<ModeColumn> columns_;
  std::vector<double> values_;
  std::vector<double> weights_;  // empty without a weight column
  TableRows rows_;               // of a wide table
  std::string scratch_;
  std::optional<double> missing_value_;  // of a wide table, which lists cells as an array does
  bool value_optional_;                  // the last column, and it may be left out
};

Result<> TableReader::read(const TextRange& range) {
  auto reader = TextReader::open(range);
  if (!reader) return reader.error();
  RecordReader records(*reader, plan_.split_at);
  if (range.in_quotes) records.skip_rest();
  bool header = range.begin == 0 && !plan_.layout.header.empty();
  const auto wanted = static_cast<std::size_t>(plan_.layout.columns);
  while (records.next()) {
    const std::size_t found = records.fields().size();
    if (found != wanted && !(value_optional_ && found + 1 == wanted)) {
      return wrong_columns(*reader, records, plan_.layout.columns);
    }
    if (header) {
      header = false;
      if (auto added = add_header(*reader, records); !added) return added;
      continue;
    }
    if (auto added = is_wide() ? add_row(records) : add_record(records); !added) return added;
  }
  return records.status();
}

// A wide table's header has the positions along the mode across its columns.
Result<> TableReader::add_header(const TextReader& reader, const RecordReader& records) {
  if (!is_wide()) return Nothing{};
  ModeColumn& across = columns_[static_cast<std::size_t>(plan_.layout.wide_mode)];
  for (const int column : plan_.layout.value_columns) {
    const Field& field = records.fields()[static_cast<std::size_t>(column)];
    const std::string_view text = field_text(field, scratch_);
    if (!across.add(text)) return input_error(records.where(field), across.complaint(text));
  }
  rows_.add(records.record());
  if (reader.breaks_with_return()) rows_.line_break = "\r\n";
  return Nothing{};
}

Result<> TableReader::add_positions(const RecordReader& records) {
  const auto fields = records.fields();
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const int column = plan_.layout.mode_columns[k];
    if (column < 0) continue;  // across
    const Field& field = fields[static_cast<std::size_t>(column)];
    const std::string_view text = field_text(field, scratch_);
    if (columns_[k].add(text)) continue;
    const bool may_be_wide =
        text.empty() && columns_[k].of_new_labels() && !is_wide() && !plan_.layout.header.empty();
    return input_error(
        records.where(field),
        columns_[k].complaint(text) + (may_be_wide ? "; --wide if values lie across the columns" : ""));
  }
  return Nothing{};
}

Result<> TableReader::add_row(const RecordReader& records) {
  if (auto added = add_positions(records); !added) return added;
  for (const int column : plan_.layout.value_columns) {
    const Field& field = records.fields()[static_cast<std::size_t>(column)];
    double value = 0;
    if (!parse_table_value(field.text, plan_.layout.decimal, value))
      return wrong_value(records, field, plan_.layout.decimal);
    values_.push_back(missing_value_ && value == *missing_value_ ? kMissing : value);
  }
  rows_.add(records.record());
  return Nothing{};
}

Result<> TableReader::add_record(const RecordReader& records) {
  if (auto added = add_positions(records); !added) return added;
  const auto fields = records.fields();
  double value = plan_.all_ones ? 1.0 : kMissing;
  const auto at = static_cast<std::size_t>(plan_.layout.value_column);
  if (plan_.layout.value_column >= 0 && at < fields.size() &&
      !parse_table_value(fields[at].text, plan_.layout.decimal, value)) {
    return wrong_value(records, fields[at], plan_.layout.decimal);
  }
  values_.push_back(value);
  if (plan_.layout.weight_column < 0) return Nothing{};
  const Field& field = fields[static_cast<std::size_t>(plan_.layout.weight_column)];
  double weight = 0;
  if (!parse_decimal(trim(field.text), plan_.layout.decimal, weight) || !(weight >= 0) || std::isinf(weight))
    return wrong_weight(records, field);
  weights_.push_back(weight);
  return Nothing{};
}

// The cells of a wide table, row after row: positions[k] has those of the rows, or of the columns along the mode across.
void spread_rows(int wide_mode, std::vector<std::vector<Index>>& positions, TableRows& rows) {
  rows.across = positions[static_cast<std::size_t>(wide_mode)];
  const auto count = static_cast<std::size_t>(rows.rows());
  positions[static_cast<std::size_t>(wide_mode)].assign(count, 0);
  rows.cells = Cells(positions);
  for (std::size_t k = 0; k < positions.size(); ++k) {
    std::vector<Index> spread;
    spread.reserve(count * rows.across.size());
    for (std::size_t r = 0; r < count; ++r) {
      if (static_cast<int>(k) == wide_mode)
        spread.insert(spread.end(), rows.across.begin(), rows.across.end());
      else
        spread.insert(spread.end(), rows.across.size(), positions[k][r]);
    }
    positions[k] = std::move(spread);
  }
}

int find_base(const ReadOptions& options, const std::vector<ModeColumn>& columns,
              const Communicator& everyone) {
  if (options.index_base) return *options.index_base;
  const bool zero = std::any_of(columns.begin(), columns.end(),
                                [](const ModeColumn& column) { return column.plain() && column.saw_zero(); });
  return everyone.any(zero) ? 0 : 1;
}

// Applies a stated shape: a mode of labels has its size from them, the others may be larger than what was
// seen.
Result<> apply_shape(const std::string& path, const ReadOptions& options, TensorFile& file) {
  if (options.known_modes != nullptr || options.shape.empty()) return Nothing{};
  for (std::size_t k = 0; k < file.modes.size(); ++k) {
    Mode& mode = file.modes[k];
    const Index size = options.shape[k];
    if (mode.size > size || (!mode.labels.empty() && mode.size != size)) {
      return input_error(path,
                         fmt::format("found {} {} in mode '{}', expected {} as the shape states", mode.size,
                                     mode.labels.empty() ? "positions" : "labels", mode.name, size));
    }
    mode.size = size;
  }
  return Nothing{};
}

bool same_header(const TablePlan& plan, std::span<const Field> fields) {
  std::string scratch;
  const auto& names = plan.layout.header;
  return std::equal(names.begin(), names.end(), fields.begin(), fields.end(),
                    [&](const std::string& name, const Field& field) {
                      return trim(field_text(field, scratch)) == trim(name);
                    });
}

// Where the lines behind the header begin, which all files of a folder have if the first has.
Result<TextRange> behind_header(const std::string& path, const TablePlan& plan) {
  TextRange range{.path = path};
  if (plan.layout.header.empty()) return range;
  auto reader = TextReader::open(path);
  if (!reader) return reader.error();
  RecordReader records(*reader, plan.split_at);
  if (!records.next()) {
    if (auto status = records.status(); !status) return status.error();
    return range;
  }
  if (!same_header(plan, records.fields()))
    return input_error(reader->where(), "found another header than in the folder's first file");
  if (!reader->packed()) range.begin = reader->behind();
  return range;
}

// What this process reads of the table.
Result<std::vector<TextRange>> own_ranges(const std::string& path, const TablePlan& plan,
                                          const Communicator& everyone) {
  const auto files = text_files(path);
  if (!files) return files.error();
  std::vector<TextRange> whole;
  for (const std::string& file : *files) {
    whole.push_back({.path = file});
    if (everyone.alone() && files->size() == 1) break;  // the header is read with the lines
    auto behind = behind_header(file, plan);
    if (!behind) return behind.error();
    if (!everyone.alone()) whole.back() = std::move(*behind);
  }
  return share_ranges(whole, everyone);
}

Result<TableReader> read_own(const std::string& path, const ReadOptions& options, const TablePlan& plan,
                             const std::vector<TextRange>& ranges) {
  auto columns = make_columns(path, options, plan);
  if (!columns) return columns.error();
  TableReader table(plan, options, std::move(*columns));
  for (const TextRange& range : ranges)
    if (auto read = table.read(range); !read) return read.error();
  return table;
}

Result<> finish(const std::string& path, const ReadOptions& options, const TablePlan& plan,
                const Communicator& everyone, TableReader& table, TensorFile& file) {
  file.format = Format::kTable;
  file.table = plan.layout;
  file.index_base = find_base(options, table.columns(), everyone);
  file.entries.value = table.take_values();
  file.entries.weight = table.take_weights();
  const std::size_t order = table.columns().size();
  file.modes.resize(order);
  std::vector<std::vector<Index>> positions(order);
  for (std::size_t k = 0; k < order; ++k)
    if (auto finished =
            table.columns()[k].finish(path, file.index_base, everyone, file.modes[k], positions[k]);
        !finished)
      return finished;
  if (plan.layout.wide_mode >= 0) {
    TableRows& rows = table.rows();
    rows.split_at = plan.split_at;
    rows.missing_value = options.missing_value;
    spread_rows(plan.layout.wide_mode, positions, rows);
    file.table.rows = std::make_shared<const TableRows>(std::move(rows));
  }
  file.entries.cells = std::move(positions);
  file.missing = count_missing(file.entries);
  return apply_shape(path, options, file);
}

}  // namespace

Result<Reading> read_table(const std::string& path, const ReadOptions& options, const Communicator& all) {
  const auto files = text_files(path);
  const auto plan = files ? plan_table(files->front(), options) : files.error();
  if (auto fine = agreed(all, plan); !fine) return fine.error();
  // The lines of a wide table are kept as they are.
  const Communicator& everyone = plan->layout.wide_mode >= 0 ? serial_communicator() : all;
  auto ranges = own_ranges(path, *plan, everyone);
  if (auto fine = agreed(everyone, ranges); !fine) return fine.error();
  if (auto found = find_quotes(*ranges, plan->split_at, everyone); !found) return found.error();
  auto table = read_own(path, options, *plan, *ranges);
  if (auto fine = agreed(everyone, table); !fine) return fine.error();
  if (everyone.sum(table->size()) == 0) return input_error(path, "no entries");
  Reading reading{.file = {}, .shared = &everyone == &all, .ranges = std::move(*ranges)};
  if (auto fine = finish(path, options, *plan, everyone, *table, reading.file); !fine) return fine.error();
  return reading;
}

std::optional<std::string> locate_table_entry(const std::string& path, std::span<const TextRange> ranges,
                                              const ReadOptions& options, Count entry) {
  const auto files = text_files(path);
  const auto plan = files ? plan_table(files->front(), options) : files.error();
  if (!plan) return std::nullopt;
  const bool wide = plan->layout.wide_mode >= 0;
  Count left = wide ? entry / static_cast<Count>(plan->layout.value_columns.size()) : entry;
  for (const TextRange& range : ranges) {
    auto reader = TextReader::open(range);
    if (!reader) return std::nullopt;
    RecordReader records(*reader, plan->split_at);
    if (range.in_quotes) records.skip_rest();
    if (range.begin == 0 && !plan->layout.header.empty()) ++left;
    while (records.next())
      if (left-- == 0) return reader->where();
  }
  return std::nullopt;
}

}  // namespace lacuna::io
