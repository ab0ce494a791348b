// SPDX-License-Identifier: MIT
// Reading tables: CSV, TSV, MovieLens files, knowledge-graph triples. What the columns mean is planned first
// (table_plan.cpp); then each record is split and its fields go to their columns.
#include "io/text/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "io/text/decimal.hpp"
#include "io/text/fields.hpp"
#include "io/text/index_lines.hpp"
#include "io/text/mode_column.hpp"
#include "io/text/number.hpp"
#include "io/text/table_plan.hpp"

namespace lacuna::io {
namespace {

constexpr double kMissing = std::numeric_limits<double>::quiet_NaN();

bool parse_value(std::string_view text, char decimal, double& value) {
  text = trim(text);
  if (is_missing_word(text)) {
    value = kMissing;
    return true;
  }
  return parse_decimal(text, decimal, value) && !std::isinf(value);
}

Error wrong_value(const RecordReader& records, const Field& field, char decimal) {
  double value = 0;
  const std::string_view text = trim(field.text);
  const char* expected = "a number";
  if (parse_decimal(text, decimal, value))
    expected = "a finite number";
  else if (parse_decimal(text, decimal == ',' ? '.' : ',', value))
    expected = decimal == ',' ? "a number with a decimal comma" : "a number with a decimal point";
  else if (looks_numeric(text))
    expected = "a number without separators between its digits";
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
      columns.push_back(ModeColumn::of_known(mode, plain ? known_base(options) : 0));
    }
    return columns;
  }
  const auto rules =
      index_line_rules(path, options, options.index_base, static_cast<int>(plan.mode_names.size()));
  if (!rules) return rules.error();
  for (std::size_t k = 0; k < plan.mode_names.size(); ++k) {
    const std::string& name = plan.mode_names[k];
    if (plan.bin_widths[k] > 0) {
      columns.push_back(ModeColumn::of_stamps(name, plan.bin_widths[k]));
    } else if (plan.placed[k]) {
      columns.push_back(ModeColumn::of_positions(name, plan.layout.decimal));
    } else if (options.table_indices) {
      columns.push_back(ModeColumn::of_indices(name, rules->smallest, rules->largest[k]));
    } else {
      columns.push_back(ModeColumn::of_labels(name));
    }
  }
  return columns;
}

class TableReader {
 public:
  TableReader(TextReader& reader, const TablePlan& plan, bool value_optional, std::vector<ModeColumn> columns)
      : reader_(reader),
        records_(reader, plan.split_at),
        plan_(plan),
        columns_(std::move(columns)),
        value_optional_(value_optional && plan.layout.value_column == plan.layout.columns - 1) {}

  Result<> read();
  std::vector<ModeColumn>& columns() { return columns_; }
  std::vector<double> take_values() { return std::move(values_); }
  std::vector<double> take_weights() { return std::move(weights_); }

 private:
  Result<> add_record();

  TextReader& reader_;
  RecordReader records_;
  const TablePlan& plan_;
  std::vector<ModeColumn> columns_;
  std::vector<double> values_;
  std::vector<double> weights_;  // empty without a weight column
  std::string scratch_;
  bool value_optional_;  // the last column, and it may be left out
};

Result<> TableReader::read() {
  bool header = !plan_.layout.header.empty();
  const auto wanted = static_cast<std::size_t>(plan_.layout.columns);
  while (records_.next()) {
    const std::size_t found = records_.fields().size();
    if (found != wanted && !(value_optional_ && found + 1 == wanted)) {
      return wrong_columns(reader_, records_, plan_.layout.columns);
    }
    if (header) {
      header = false;
      continue;
    }
    if (auto added = add_record(); !added) return added;
  }
  if (auto status = records_.status(); !status) return status;
  if (values_.empty()) return input_error(reader_.path(), "no entries");
  return Nothing{};
}

Result<> TableReader::add_record() {
  const auto fields = records_.fields();
  for (std::size_t k = 0; k < columns_.size(); ++k) {
    const Field& field = fields[static_cast<std::size_t>(plan_.layout.mode_columns[k])];
    const std::string_view text = field_text(field, scratch_);
    if (!columns_[k].add(text)) return input_error(records_.where(field), columns_[k].complaint(text));
  }
  double value = plan_.all_ones ? 1.0 : kMissing;
  const auto at = static_cast<std::size_t>(plan_.layout.value_column);
  if (plan_.layout.value_column >= 0 && at < fields.size() &&
      !parse_value(fields[at].text, plan_.layout.decimal, value)) {
    return wrong_value(records_, fields[at], plan_.layout.decimal);
  }
  values_.push_back(value);
  if (plan_.layout.weight_column < 0) return Nothing{};
  const Field& field = fields[static_cast<std::size_t>(plan_.layout.weight_column)];
  double weight = 0;
  if (!parse_decimal(trim(field.text), plan_.layout.decimal, weight) || !(weight >= 0) || std::isinf(weight))
    return wrong_weight(records_, field);
  weights_.push_back(weight);
  return Nothing{};
}

int find_base(const ReadOptions& options, const std::vector<ModeColumn>& columns) {
  if (options.index_base) return *options.index_base;
  const bool zero = std::any_of(columns.begin(), columns.end(),
                                [](const ModeColumn& column) { return column.plain() && column.saw_zero(); });
  return zero ? 0 : 1;
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

}  // namespace

Result<TensorFile> read_table(const std::string& path, const ReadOptions& options) {
  const auto plan = plan_table(path, options);
  if (!plan) return plan.error();
  auto columns = make_columns(path, options, *plan);
  if (!columns) return columns.error();
  auto reader = TextReader::open(path);
  if (!reader) return reader.error();
  TableReader table(*reader, *plan, options.known_modes != nullptr, std::move(*columns));
  if (const auto read = table.read(); !read) return read.error();

  TensorFile file;
  file.format = Format::kTable;
  file.table = plan->layout;
  file.index_base = find_base(options, table.columns());
  file.entries.value = table.take_values();
  file.entries.weight = table.take_weights();
  const std::size_t order = table.columns().size();
  file.modes.resize(order);
  std::vector<std::vector<Index>> positions(order);
  for (std::size_t k = 0; k < order; ++k) {
    const auto finished = table.columns()[k].finish(path, file.index_base, file.modes[k], positions[k]);
    if (!finished) return finished.error();
  }
  file.entries.cells = std::move(positions);
  file.missing = count_missing(file.entries);
  if (const auto shaped = apply_shape(path, options, file); !shaped) return shaped.error();
  return file;
}

std::optional<Count> locate_table_entry(const std::string& path, const ReadOptions& options, Count entry) {
  const auto plan = plan_table(path, options);
  if (!plan) return std::nullopt;
  auto reader = TextReader::open(path);
  if (!reader) return std::nullopt;
  RecordReader records(*reader, plan->split_at);
  Count left = entry + (plan->layout.header.empty() ? 0 : 1);
  while (records.next()) {
    if (left-- == 0) return reader->line_number();
  }
  return std::nullopt;
}

}  // namespace lacuna::io
