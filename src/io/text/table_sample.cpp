// SPDX-License-Identifier: MIT
// How a table's delimiter is found: the one that cuts the first records into the same number of columns.
#include "io/text/table_sample.hpp"

#include <algorithm>
#include <array>
#include <map>

#include "io/text/decimal.hpp"
#include "io/text/fields.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

constexpr std::size_t kSampleRows = 100;
constexpr std::size_t kSampleBytes = std::size_t{1} << 20;

Result<TableSample> take_sample(const std::string& path, const std::string& delimiter) {
  auto reader = TextReader::open(path);
  if (!reader) return reader.error();
  RecordReader records(*reader, delimiter);
  TableSample sample;
  sample.delimiter = delimiter;
  std::map<std::size_t, std::size_t> rows_with;
  std::size_t bytes = 0;
  std::size_t with_tabs = 0;
  std::string scratch;
  while (sample.rows.size() < kSampleRows && bytes < kSampleBytes && records.next()) {
    auto& row = sample.rows.emplace_back();
    for (const Field& field : records.fields()) row.emplace_back(field_text(field, scratch));
    ++rows_with[row.size()];
    bytes += records.record().size();
    if (records.record().find('\t') != std::string_view::npos) ++with_tabs;
  }
  if (const auto status = reader->status(); !status) return status.error();
  if (const auto status = records.status(); !status) sample.trouble = status.error();
  std::size_t most = 0;
  for (const auto& [columns, rows] : rows_with) {
    if (rows <= most) continue;
    sample.columns = columns;
    most = rows;
  }
  if (!sample.rows.empty()) {
    const auto total = static_cast<double>(sample.rows.size());
    sample.agreement = static_cast<double>(most) / total;
    sample.tabs = 2 * with_tabs > sample.rows.size();
  }
  return sample;
}

bool all_numbers(const TableSample& sample) {
  for (const auto& row : sample.rows) {
    if (!std::all_of(row.begin(), row.end(), is_number_or_missing)) return false;
  }
  return true;
}

// Whether every comma stands between the digits of a number, and there is one.
bool commas_are_decimals(const TableSample& sample) {
  bool any = false;
  for (const auto& row : sample.rows) {
    for (const std::string& field : row) {
      const std::size_t comma = field.find(',');
      if (comma == std::string::npos) continue;
      double value = 0;
      const bool between_digits =
          comma > 0 && is_digit(field[comma - 1]) && comma + 1 < field.size() && is_digit(field[comma + 1]);
      if (!between_digits || !parse_decimal(trim(field), ',', value)) return false;
      any = true;
    }
  }
  return any;
}

bool consistent(const TableSample& sample) {
  return sample.columns >= 2 && sample.agreement == 1.0 && !sample.trouble;
}

}  // namespace

bool is_number_or_missing(const std::string& field) {
  double value = 0;
  return is_missing_word(field) || parse_number(trim(field), value);
}

bool seems_number(const std::string& field) { return is_number_or_missing(field) || looks_numeric(field); }

ColumnKind column_kind(const TableSample& sample, std::size_t first_row, std::size_t column,
                       std::optional<char> decimal) {
  int fields = 0;
  int plain = 0;      // numbers with a decimal point, or none
  int comma = 0;      // numbers with a decimal comma, or none
  int numeric = 0;    // what looks like a number
  int thousands = 0;  // what is none with a decimal point, and with a comma not for certain
  for (std::size_t r = first_row; r < sample.rows.size(); ++r) {
    const auto& row = sample.rows[r];
    if (column >= row.size() || is_missing_word(row[column])) continue;
    const std::string_view text = trim(row[column]);
    double value = 0;
    const bool is_plain = parse_decimal(text, '.', value);
    ++fields;
    if (is_plain) ++plain;
    if (parse_decimal(text, ',', value)) ++comma;
    if (is_plain || looks_numeric(text)) ++numeric;
    if (!is_plain && may_be_thousands(text)) ++thousands;
  }
  if (decimal == ',') plain = -1;
  if (decimal == '.') comma = -1;
  const auto most = [&](int count) { return 2 * count >= fields; };
  if (plain == fields || (most(plain) && comma < fields)) return ColumnKind::kNumbers;
  if (most(comma)) {
    const bool open = !decimal && thousands > 0 && plain + thousands == fields;
    return open ? ColumnKind::kDecimalsOrThousands : ColumnKind::kCommaNumbers;
  }
  return most(numeric) ? ColumnKind::kLooksNumeric : ColumnKind::kWords;
}

Result<TableSample> sample_table(const std::string& path, const std::string& delimiter,
                                 std::optional<char> decimal) {
  if (!delimiter.empty()) return take_sample(path, delimiter == "\\t" ? "\t" : delimiter);
  constexpr std::array<const char*, 6> kDelimiters = {"::", "\t", ",", ";", "|", " "};
  std::vector<TableSample> samples;
  for (const char* const candidate : kDelimiters) {
    auto sample = take_sample(path, candidate);
    if (!sample) return sample.error();
    samples.push_back(std::move(*sample));
  }
  // "::" and tabs hardly occur inside labels; of the others the one that makes most columns.
  if (consistent(samples[0])) return samples[0];
  if (consistent(samples[1])) return samples[1];
  const TableSample& comma = samples[2];
  const TableSample& blanks = samples.back();
  const TableSample* best = nullptr;
  if (decimal != '.') {
    for (std::size_t i = 3; i < 5; ++i) {
      if (consistent(samples[i]) && commas_are_decimals(samples[i])) return samples[i];
    }
    if (consistent(blanks) && commas_are_decimals(blanks)) {
      if (decimal == ',' || !consistent(comma)) return blanks;
      return input_error(
          path,
          "found commas that may separate columns or stand before decimals, expected to be told "
          "the delimiter or the decimal mark");
    }
  }
  for (std::size_t i = 2; i < 5; ++i) {
    if (consistent(samples[i]) && (best == nullptr || samples[i].columns > best->columns)) best = &samples[i];
  }
  if (best != nullptr) return *best;
  // Numbers with now a tab, now blanks between them (one line of MovieLens' u.data as it went round).
  if (consistent(blanks) && all_numbers(blanks)) return blanks;
  // A bad line or two must not change the delimiter: they are to be reported.
  for (std::size_t i = 0; i < 5; ++i) {
    const TableSample& sample = samples[i];
    if (sample.columns >= 2 && (best == nullptr || sample.agreement > best->agreement)) best = &sample;
  }
  if (best != nullptr && best->agreement > 0.5) return *best;
  if (consistent(blanks)) return blanks;
  if (best == nullptr) return comma;
  return input_error(path, "found no delimiter that most lines have in common, expected to be told it");
}

}  // namespace lacuna::io
