// SPDX-License-Identifier: MIT
// How a table's delimiter is found: the one that cuts the first records into the same number of columns.
#include "io/text/table_sample.hpp"

#include <algorithm>
#include <array>
#include <map>

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
    if (!std::all_of(row.begin(), row.end(), is_number_or_empty)) return false;
  }
  return true;
}

bool consistent(const TableSample& sample) {
  return sample.columns >= 2 && sample.agreement == 1.0 && !sample.trouble;
}

}  // namespace

bool is_number_or_empty(const std::string& field) {
  double value = 0;
  const std::string_view text = trim(field);
  return text.empty() || text == "NA" || parse_number(text, value);
}

bool is_number_column(const TableSample& sample, std::size_t first_row, std::size_t column) {
  int numbers = 0;
  int others = 0;
  for (std::size_t r = first_row; r < sample.rows.size(); ++r) {
    const auto& row = sample.rows[r];
    if (column >= row.size() || trim(row[column]).empty()) continue;
    ++(is_number_or_empty(row[column]) ? numbers : others);
  }
  return numbers >= others;
}

Result<TableSample> sample_table(const std::string& path, const std::string& delimiter) {
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
  const TableSample& blanks = samples.back();
  const TableSample* best = nullptr;
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
  return best != nullptr ? *best : samples[2];
}

}  // namespace lacuna::io
