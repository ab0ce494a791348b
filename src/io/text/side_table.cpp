// SPDX-License-Identifier: MIT
// Tables of features: which line is about which position, and what its columns hold.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <lacuna/io/files.hpp>
#include <lacuna/model/side.hpp>
#include <limits>
#include <optional>
#include <set>

#include "io/file/stream_copy.hpp"
#include "io/text/decimal.hpp"
#include "io/text/fields.hpp"
#include "io/text/number.hpp"
#include "io/text/position_lookup.hpp"
#include "io/text/side_names.hpp"
#include "io/text/table_head.hpp"
#include "io/text/table_sample.hpp"

namespace lacuna {
namespace {

using io::Field;
using io::PositionLookup;
using io::RecordReader;

constexpr std::size_t kMostCodes = 30;  // different whole numbers that may be codes of categories
// Share of a column's fields with '|' from which on it separates words.
constexpr double kSeveralWords = 0.05;
constexpr double kMostlyNumbers = 0.5;  // share of numbers from which on words among them are worth a note
constexpr char kSeparator = '|';

// A column as it is read.
struct Column {
  std::string name;
  std::vector<std::string> text{};    // of each line; empty: not known
  std::vector<double> number{};       // NaN where the text is none
  std::string first_word{};           // where the first field that is no number stands, and what it is
  std::optional<Error> not_finite{};  // about the first number that is infinite or NaN
};

class FeatureReader {
 public:
  FeatureReader(const std::string& path, const PositionNames& names, const Mode& mode)
      : path_(path), names_(names), lookup_(mode, names.index_base), mode_(mode) {}

  Result<> read();
  // The mode as it is now, and the columns as features of its positions.
  Result<SideFile> finish(Mode& mode);

 private:
  Result<> begin(const io::TableSample& sample, std::span<const Field> first, bool& header);
  Result<> add(io::TextReader& reader, const RecordReader& records);
  [[nodiscard]] Result<Index> position_of(const RecordReader& records, const Field& field,
                                          std::string_view label);
  [[nodiscard]] Feature feature(const Column& column, bool as_words, Index size) const;

  const std::string& path_;
  const PositionNames& names_;
  PositionLookup lookup_;
  const Mode& mode_;
  std::size_t label_column_ = 0;
  std::vector<Column> columns_;
  io::LabelTable new_labels_;
  std::vector<Index> scratch_;
  std::vector<Index> position_;  // of each line; from the mode's size on: new ones
  std::vector<Count> line_;      // where each was listed
  std::string text_;
};

// The first record is a header when it names the mode, or when its first field names no position although the
// next record's does, or stands above a column of numbers as a word.
bool is_header(const io::TableSample& sample, const Mode& mode, const PositionLookup& lookup) {
  const std::vector<std::string>& first = sample.rows.front();
  for (const std::string& field : first)
    if (io::lower(io::trim(field)) == io::lower(mode.name)) return true;
  if (lookup.find(io::trim(first.front())) != kUnseen || lookup.number(io::trim(first.front()))) return false;
  if (sample.rows.size() < 2) return false;
  if (lookup.find(io::trim(sample.rows[1].front())) != kUnseen) return true;
  for (std::size_t c = 0; c < std::min(first.size(), sample.columns); ++c)
    if (!io::is_number_or_missing(first[c]) && io::column_kind(sample, 1, c, '.') == io::ColumnKind::kNumbers)
      return true;
  return false;
}

Result<> FeatureReader::begin(const io::TableSample& sample, std::span<const Field> first, bool& header) {
  header = is_header(sample, mode_, lookup_);
  if (sample.columns < 2 && !names_.alone)
    return input_error(
        path_, fmt::format("found 1 column, expected names of {} and at least one feature", mode_.name));
  columns_.resize(sample.columns);
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    columns_[c].name = fmt::format("column {}", c + 1);
    if (!header || c >= first.size()) continue;
    columns_[c].name = io::to_utf8(io::trim(io::field_text(first[c], text_)));
    if (io::lower(columns_[c].name) == io::lower(mode_.name)) label_column_ = c;
  }
  return Nothing{};
}

Result<Index> FeatureReader::position_of(const RecordReader& records, const Field& field,
                                         std::string_view label) {
  if (label.empty())
    return input_error(records.where(field), "found nothing, expected " + lookup_.expected());
  if (const Index known = lookup_.find(label); known != kUnseen) return known;
  if (!names_.may_grow || (!lookup_.labelled() && !lookup_.number(label)))
    return input_error(records.where(field),
                       fmt::format("found {}, expected {}", io::quoted(label), lookup_.expected()));
  if (!lookup_.labelled()) return *lookup_.number(label);
  scratch_.clear();
  if (!new_labels_.append(label, scratch_) || !new_labels_.settle(scratch_))
    return input_error(records.where(field), "found more labels than positions are numbered");
  return mode_.size + scratch_.front();
}

Result<> FeatureReader::add(io::TextReader& reader, const RecordReader& records) {
  const auto fields = records.fields();
  if (fields.size() != columns_.size())
    return input_error(reader.where(),
                       fmt::format("found {} columns, expected {}", fields.size(), columns_.size()));
  const Field& named = fields[label_column_];
  auto position = position_of(records, named, io::trim(io::field_text(named, text_)));
  if (!position) return position.error();
  position_.push_back(*position);
  line_.push_back(reader.line_number());
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    if (c == label_column_) continue;
    Column& column = columns_[c];
    std::string text = io::to_utf8(io::trim(io::field_text(fields[c], text_)));
    double number = std::numeric_limits<double>::quiet_NaN();
    if (io::is_missing_word(text)) {
      text.clear();
    } else if (!io::parse_decimal(text, '.', number)) {
      number = std::numeric_limits<double>::quiet_NaN();
      if (column.first_word.empty())
        column.first_word = fmt::format("{} at {}", io::quoted(text), records.where(fields[c]));
    } else if (!std::isfinite(number) && !column.not_finite) {
      column.not_finite =
          input_error(records.where(fields[c]),
                      fmt::format("found {}, expected a finite number, or nothing where it is not known",
                                  io::quoted(text)));
    }
    column.text.push_back(std::move(text));
    column.number.push_back(number);
  }
  return Nothing{};
}

Result<> FeatureReader::read() {
  const auto sample = io::sample_table(path_, "", '.');
  if (!sample) return sample.error();
  if (sample->rows.empty()) return input_error(path_, "no lines, expected a table of features");
  auto reader = io::TextReader::open(path_);
  if (!reader) return reader.error();
  RecordReader records(*reader, sample->delimiter);
  bool header = false;
  bool first = true;
  while (records.next()) {
    if (first) {
      first = false;
      if (auto begun = begin(*sample, records.fields(), header); !begun) return begun;
      if (header) continue;
    }
    if (auto added = add(*reader, records); !added) return added;
  }
  if (auto status = records.status(); !status) return status;
  if (position_.empty()) return input_error(path_, "no lines but a header, expected features");
  return Nothing{};
}

Feature FeatureReader::feature(const Column& column, bool as_words, Index size) const {
  Feature made{.name = column.name};
  if (!as_words) {
    made.numbers.assign(size, std::numeric_limits<double>::quiet_NaN());
    for (std::size_t i = 0; i < position_.size(); ++i) made.numbers[position_[i]] = column.number[i];
    return made;
  }
  made.words.assign(size, "");
  double several = 0.0;
  double known = 0.0;
  for (std::size_t i = 0; i < position_.size(); ++i) {
    made.words[position_[i]] = column.text[i];
    known += column.text[i].empty() ? 0.0 : 1.0;
    several += column.text[i].find(kSeparator) != std::string::npos ? 1.0 : 0.0;
  }
  if (several > kSeveralWords * known) made.separator = kSeparator;
  return made;
}

// Whole numbers of few different values may be codes: they are also taken as categories.
bool may_be_codes(const Column& column) {
  std::set<double> values;
  for (const double number : column.number) {
    if (std::isnan(number)) continue;
    if (number != std::floor(number)) return false;
    values.insert(number);
    if (values.size() > kMostCodes) return false;
  }
  return values.size() > 2;
}

Result<SideFile> FeatureReader::finish(Mode& mode) {
  SideFile file{.listed = static_cast<Count>(position_.size())};
  if (std::none_of(position_.begin(), position_.end(), [&](Index i) { return i < mode.size; }))
    return input_error(fmt::format("{}:{}", path_, line_.front()),
                       fmt::format("found no line about any of the {} positions of mode {}, expected {}",
                                   mode.size, mode.name, lookup_.expected()));
  const auto grown = io::grow_mode(path_, new_labels_.take(), position_, mode);
  if (!grown) return grown.error();
  file.added = *grown;
  std::vector<Count> first_line(mode.size, 0);
  for (std::size_t i = 0; i < position_.size(); ++i) {
    Count& line = first_line[position_[i]];
    if (line > 0)
      return input_error(
          fmt::format("{}:{}", path_, line_[i]),
          fmt::format("found {} a second time (first at {}:{}), expected each position of mode {} once",
                      io::position_name(mode, position_[i], names_.index_base), path_, line, mode.name));
    line = line_[i];
  }
  if (columns_.size() < 2) return file;
  std::vector<Feature> features;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    const Column& column = columns_[c];
    if (c == label_column_) continue;
    if (column.first_word.empty()) {
      if (column.not_finite) return *column.not_finite;
      features.push_back(feature(column, false, mode.size));
      if (may_be_codes(column)) features.push_back(feature(column, true, mode.size));
      continue;
    }
    const auto numbers = static_cast<double>(std::count_if(
        column.number.begin(), column.number.end(), [](double number) { return !std::isnan(number); }));
    if (numbers > kMostlyNumbers * static_cast<double>(column.number.size()))
      file.notes.push_back(
          fmt::format("{} of {} is taken as categories: found {}", column.name, path_, column.first_word));
    features.push_back(feature(column, true, mode.size));
  }
  std::vector<std::string> left_out;
  const SideInformation side = side_of_features(mode.size, features, &left_out);
  for (const std::string& sentence : left_out) file.notes.push_back(fmt::format("{}: {}", path_, sentence));
  if (side.columns() == 0)
    return input_error(path_,
                       fmt::format("found no column that tells {} apart, expected at least one", mode.name));
  mode.side = std::make_shared<const SideInformation>(mode.side ? both_sides(*mode.side, side) : side);
  return file;
}

}  // namespace

Result<SideFile> read_features(const std::string& path, const PositionNames& names, Mode& mode) {
  const auto read_from = [&](const std::string& file) -> Result<SideFile> {
    FeatureReader reader(file, names, mode);
    if (auto read = reader.read(); !read) return read.error();
    return reader.finish(mode);
  };
  if (!io::is_stream(path)) return read_from(path);
  const auto copy = io::StreamCopy::take(path);  // it is looked at first, then read
  if (!copy) return copy.error();
  auto read = read_from(copy->path());
  if (!read) return copy->of_stream(read.error());
  for (std::string& note : read->notes) note = copy->of_stream(input_error("", note)).what;
  return read;
}

}  // namespace lacuna
