// SPDX-License-Identifier: MIT
// Field splitting. Lines without a quote, nearly all of them, take the short way.
#include "io/text/fields.hpp"

#include <cstring>

#include "io/text/number.hpp"

namespace lacuna::io {

FieldSplitter::FieldSplitter(std::string delimiter)
    : delimiter_(std::move(delimiter)),
      blanks_(delimiter_ == " "),
      strict_(delimiter_ == "," || delimiter_ == ";" || delimiter_ == "|") {}

SplitOutcome FieldSplitter::split(std::string_view record) {
  count_ = 0;
  if (!record.empty() && std::memchr(record.data(), '"', record.size()) != nullptr)
    return split_quoted(record);
  split_unquoted(record);
  return SplitOutcome::kFine;
}

void FieldSplitter::push_unquoted(std::string_view record, std::size_t begin, std::size_t end) {
  while (begin < end && is_padding(record[begin])) ++begin;
  while (end > begin && is_padding(record[end - 1])) --end;
  push({.text = record.substr(begin, end - begin), .offset = begin});
}

bool FieldSplitter::delimiter_at(std::string_view record, std::size_t at) const {
  if (blanks_) return is_blank(record[at]);
  return record.compare(at, delimiter_.size(), delimiter_) == 0;
}

std::size_t FieldSplitter::find_delimiter(std::string_view record, std::size_t from) const {
  const std::size_t length = delimiter_.size();
  const char first = delimiter_[0];
  const char last = delimiter_[length - 1];
  for (std::size_t i = from; i + length <= record.size(); ++i) {
    if (record[i] != first && !(blanks_ && record[i] == '\t')) continue;
    if (length == 1 || (record[i + length - 1] == last && (length == 2 || delimiter_at(record, i)))) return i;
  }
  return record.size();
}

void FieldSplitter::split_unquoted(std::string_view record) {
  std::size_t begin = 0;
  if (blanks_) {
    for (std::size_t i = 0; i <= record.size(); ++i) {
      if (i < record.size() && !is_blank(record[i])) continue;
      if (i > begin) push({.text = record.substr(begin, i - begin), .offset = begin});
      begin = i + 1;
    }
    return;
  }
  for (;;) {
    const std::size_t end = find_delimiter(record, begin);
    push_unquoted(record, begin, end);
    if (end == record.size()) return;
    begin = end + delimiter_.size();
  }
}

// The quoted field whose opening quote stands at `at`, which is left behind the closing one and any blanks.
bool FieldSplitter::take_quoted(std::string_view record, std::size_t& at, SplitOutcome& outcome) {
  Field field{.text = {}, .offset = at};
  std::size_t close = record.find('"', at + 1);
  while (close != std::string_view::npos && close + 1 < record.size() && record[close + 1] == '"') {
    field.doubled = true;
    close = record.find('"', close + 2);
  }
  if (close == std::string_view::npos) {
    outcome = SplitOutcome::kOpenQuote;
    trouble_ = at;
    return false;
  }
  field.text = record.substr(at + 1, close - at - 1);
  std::size_t after = close + 1;
  while (after < record.size() && !blanks_ && is_padding(record[after])) ++after;
  if (after < record.size() && !delimiter_at(record, after)) {
    outcome = SplitOutcome::kTextAfterQuote;
    trouble_ = after;
    return false;
  }
  push(field);
  at = after;
  return true;
}

SplitOutcome FieldSplitter::split_quoted(std::string_view record) {
  std::size_t at = 0;
  for (;;) {
    std::size_t start = at;
    while (start < record.size() && (blanks_ ? is_blank(record[start]) : is_padding(record[start]))) ++start;
    if (blanks_ && start == record.size()) return SplitOutcome::kFine;
    SplitOutcome outcome = SplitOutcome::kFine;
    std::size_t end = start;
    const bool taken = start < record.size() && record[start] == '"' && take_quoted(record, end, outcome);
    if (outcome != SplitOutcome::kFine && strict_) return outcome;
    if (!taken) {
      end = find_delimiter(record, start);
      push_unquoted(record, start, end);
    }
    if (end >= record.size()) return SplitOutcome::kFine;
    at = end + delimiter_.size();
  }
}

std::string_view undouble(std::string_view text, std::string& scratch) {
  scratch.clear();
  for (std::size_t i = 0; i < text.size(); ++i) {
    scratch += text[i];
    if (text[i] == '"') ++i;
  }
  return scratch;
}

bool FieldSplitter::ends_in_quotes(std::string_view record, QuoteScan& scan) const {
  if (!strict_) return false;
  for (;;) {
    if (scan.in_quotes) {
      const std::size_t quote = record.find('"', scan.at);
      if (quote == std::string_view::npos) break;
      scan.at = quote + 1;
      if (scan.at < record.size() && record[scan.at] == '"')
        ++scan.at;
      else
        scan.in_quotes = false;
      continue;
    }
    if (scan.field_start) {
      while (scan.at < record.size() && is_padding(record[scan.at])) ++scan.at;
      scan.field_start = false;
      scan.in_quotes = scan.at < record.size() && record[scan.at] == '"';
      if (scan.in_quotes) ++scan.at;
      continue;
    }
    const std::size_t delimiter = record.find(delimiter_[0], scan.at);
    if (delimiter == std::string_view::npos) break;
    scan.at = delimiter + 1;
    scan.field_start = true;
  }
  scan.at = record.size();
  return scan.in_quotes;
}

bool RecordReader::next() {
  do {
    if (!reader_.next(record_)) return false;
  } while (trim(record_).empty());
  if (record_.find('"') != std::string_view::npos) {
    QuoteScan scan;
    while (splitter_.ends_in_quotes(record_, scan) && reader_.extend(record_)) {
    }
  }
  outcome_ = splitter_.split(record_);
  return outcome_ == SplitOutcome::kFine;
}

void RecordReader::skip_rest() {
  for (bool in_quotes = true; in_quotes && reader_.next(record_);) {
    QuoteScan scan{.at = 0, .field_start = false, .in_quotes = true};
    in_quotes = splitter_.ends_in_quotes(record_, scan);
  }
}

Result<> RecordReader::status() const {
  if (outcome_ == SplitOutcome::kOpenQuote) {
    return input_error(reader_.where(record_, splitter_.trouble()), "found a quote that is never closed");
  }
  if (outcome_ == SplitOutcome::kTextAfterQuote) {
    return input_error(
        reader_.where(record_, splitter_.trouble()),
        "found text behind a closing quote, expected a delimiter (a quote inside a field is doubled)");
  }
  return reader_.status();
}

}  // namespace lacuna::io
