// SPDX-License-Identifier: MIT
// The fields of a table's lines, and its records: a line, or several when a quoted field holds line breaks.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "io/text/reader.hpp"

namespace lacuna::io {

// One field, blanks around it taken off. A quoted one lies between its quotes and keeps its blanks.
struct Field {
  std::string_view text;
  std::size_t offset = 0;  // in the record, of the field's first character or opening quote
  bool doubled = false;    // holds "" that stand for one quote
};

// How far a record has been looked through for quotes, so that lines can be added to it without beginning anew.
struct QuoteScan {
  std::size_t at = 0;
  bool field_start = true;
  bool in_quotes = false;
};

enum class SplitOutcome { kFine, kOpenQuote, kTextAfterQuote };

// Splits at a delimiter: "::", any one character, or " ", which stands for any run of spaces and tabs.
//
// Commas, semicolons and bars follow CSV's rules for quotes strictly. With the others a field counts as
// quoted only when its quotes are in order; knowledge graphs in tab files are full of stray ones.
class FieldSplitter {
 public:
  explicit FieldSplitter(std::string delimiter);

  SplitOutcome split(std::string_view record);
  // Whether a quoted field is still open at the record's end, and the next line belongs to it. Goes on from
  // where `scan` stands.
  bool ends_in_quotes(std::string_view record, QuoteScan& scan) const;
  [[nodiscard]] std::span<const Field> fields() const { return {fields_.data(), count_}; }
  [[nodiscard]] std::size_t trouble() const {
    return trouble_;
  }  // offset of what kept the last split from being fine

 private:
  void split_unquoted(std::string_view record);
  SplitOutcome split_quoted(std::string_view record);
  bool take_quoted(std::string_view record, std::size_t& at, SplitOutcome& outcome);
  [[nodiscard]] std::size_t find_delimiter(std::string_view record, std::size_t from) const;
  [[nodiscard]] bool delimiter_at(std::string_view record, std::size_t at) const;
  [[nodiscard]] bool is_padding(char c) const { return c == ' ' || (c == '\t' && delimiter_ != "\t"); }
  void push_unquoted(std::string_view record, std::size_t begin, std::size_t end);
  void push(const Field& field) {
    if (count_ == fields_.size()) fields_.resize(2 * count_ + 8);
    fields_[count_++] = field;
  }

  std::string delimiter_;
  bool blanks_ = false;  // the delimiter is a run of blanks
  bool strict_ = false;
  std::vector<Field> fields_;  // room that is used again for each record
  std::size_t count_ = 0;
  std::size_t trouble_ = 0;
};

// The field's text with doubled quotes made single; `scratch` holds it when it had to be changed.
std::string_view undouble(std::string_view text, std::string& scratch);
inline std::string_view field_text(const Field& field, std::string& scratch) {
  return field.doubled ? undouble(field.text, scratch) : field.text;
}

// Reads and splits record after record, leaving out blank lines.
class RecordReader {
 public:
  RecordReader(TextReader& reader, const std::string& delimiter) : reader_(reader), splitter_(delimiter) {}

  // False at the end and on an error, which status() then has.
  bool next();
  // Before the first: leaves out the lines up to the end of a record in whose quotes they begin.
  void skip_rest();
  [[nodiscard]] std::string_view record() const { return record_; }
  [[nodiscard]] std::span<const Field> fields() const { return splitter_.fields(); }
  [[nodiscard]] Result<> status() const;
  [[nodiscard]] std::string where(const Field& field) const { return reader_.where(record_, field.offset); }

 private:
  TextReader& reader_;
  FieldSplitter splitter_;
  std::string_view record_;
  SplitOutcome outcome_ = SplitOutcome::kFine;
};

}  // namespace lacuna::io
