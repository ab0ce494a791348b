// SPDX-License-Identifier: MIT
#include "cell_queries.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "io/text/number.hpp"

namespace lacuna::cli {
namespace {

// The delimiter of a question's fields: the first of these that the line has. Blanks delimit plain numbers and names of
// modes only, since labels may hold some; one word alone does not tell.
std::string delimiter_of(std::string_view line, const ModeNames& names) {
  for (const char* one : {"::", "\t", ",", ";", "|"})
    if (line.find(one) != std::string_view::npos) return one;
  io::FieldSplitter blanks(" ");
  if (blanks.split(line) != io::SplitOutcome::kFine || blanks.fields().size() < 2) return ",";
  for (const io::Field& field : blanks.fields()) {
    std::uint64_t number = 0;
    const bool plain = field.text == "?" || field.text == "*" || io::parse_index(field.text, number) ||
                       names.find_mode(field.text).has_value();
    if (!plain) return ",";
  }
  return " ";
}

}  // namespace

Query QueryRules::blank() const {
  const auto order = static_cast<std::size_t>(names_->order());
  Query query{.role = std::vector<Asked>(order, open_.empty() ? Asked::kOpen : Asked::kLeftOut),
              .at = std::vector<Index>(order, kUnseen)};
  for (const int mode : open_) query.role[static_cast<std::size_t>(mode)] = Asked::kOpen;
  return query;
}

std::optional<std::string> QueryRules::set(Query& query, int mode, std::string_view text) const {
  const auto k = static_cast<std::size_t>(mode);
  if (text == "?" || text == "*") {
    query.role[k] = text == "?" ? Asked::kOpen : Asked::kLeftOut;
    return std::nullopt;
  }
  query.at[k] = names_->find(mode, text);
  query.role[k] = Asked::kFixed;
  if (query.at[k] == kUnseen) return names_->no_such_position(mode, text);
  return std::nullopt;
}

bool QueryRules::is_question(const std::string& word) const {
  const std::size_t equals = word.find('=');
  if (equals != std::string::npos && names_->find_mode(word.substr(0, equals))) return true;
  const bool row = word.find("::") != std::string::npos || delimiter_of(word, *names_) == " " ||
                   word.find_first_of(cells_ ? ",;|\t " : ",;|\t?") != std::string::npos;
  std::error_code none;
  return (equals != std::string::npos || row) && !std::filesystem::exists(word, none);
}

std::optional<std::string> QueryRules::meant(const std::string& word) const {
  for (int k = 0; k < names_->order(); ++k)
    if (names_->find(k, word) != kUnseen)
      return fmt::format("it is a position of mode {0}: expected {0}={1}, or a file of questions",
                         names_->name(k), word);
  return std::nullopt;
}

std::optional<std::string> QueryRules::incomplete(const Query& query) const {
  const auto open = std::find(query.role.begin(), query.role.end(), Asked::kOpen);
  if (!cells_) {
    if (open != query.role.end()) return std::nullopt;
    return "found a question that leaves no mode open, expected one with ? or fewer fields";
  }
  if (open == query.role.end()) return std::nullopt;
  const std::string& name = names_->name(static_cast<int>(open - query.role.begin()));
  return fmt::format(
      "found no position of mode {}, expected one of every mode; {}=* stands for one never seen", name, name);
}

// Of words, a question of lacuna top may have its open modes named by another flag.
Result<Query> QueryRules::whole(Query query) const {
  if (cells_)
    if (const auto lacks = incomplete(query)) return usage_error(argument(), *lacks);
  return query;
}

Result<Query> QueryRules::from_words(const std::vector<std::string>& words) const {
  Query query = blank();
  std::vector<bool> named(query.role.size(), false);
  if (words.size() == 1 && words[0].find('=') == std::string::npos) {  // a row
    io::FieldSplitter splitter(delimiter_of(words[0], *names_));
    if (splitter.split(words[0]) != io::SplitOutcome::kFine)
      return usage_error(argument(),
                         fmt::format("found {}, whose quotes do not match", io::quoted(words[0])));
    if (splitter.fields().size() > query.role.size())
      return usage_error(argument(),
                         fmt::format("found {} fields in {}, expected at most {}, one for each mode",
                                     splitter.fields().size(), io::quoted(words[0]), query.role.size()));
    for (std::size_t k = 0; k < splitter.fields().size(); ++k)
      if (const auto wrong = set(query, static_cast<int>(k), splitter.fields()[k].text))
        return usage_error(argument(), *wrong);
    return whole(std::move(query));
  }
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos)
      return usage_error(argument(), fmt::format("found {}, expected MODE=LABEL such as {}=?, or one file",
                                                 io::quoted(word), names_->name(0)));
    const auto mode = names_->find_mode(word.substr(0, equals));
    if (!mode) return usage_error(argument(), names_->no_such_mode(word.substr(0, equals)));
    if (named[*mode])
      return usage_error(argument(), fmt::format("mode {} is named twice; a file or - asks several questions",
                                                 names_->name(*mode)));
    named[*mode] = true;
    if (const auto wrong = set(query, *mode, std::string_view(word).substr(equals + 1)))
      return usage_error(argument(), *wrong);
  }
  return whole(std::move(query));
}

Result<QueryReader> QueryReader::open(const std::string& path, const std::string& delimiter,
                                      const QueryRules& rules) {
  auto text = io::TextReader::open_input(path);
  if (!text) {
    Error error = text.error();
    if (const auto meant = rules.meant(path)) error.what += "; " + *meant;
    return error;
  }
  QueryReader reader(std::move(*text), rules);
  reader.delimiter_ = delimiter == "\\t" || delimiter == "tab" ? "\t" : delimiter;
  return reader;
}

// The first line tells the delimiter, and the columns where it names them.
Result<> QueryReader::begin(std::string_view line, std::string delimiter) {
  const ModeNames& names = rules_->names();
  splitter_.emplace(delimiter.empty() ? delimiter_of(line, names) : std::move(delimiter));
  splitter_->split(line);
  const auto fields = splitter_->fields();
  const bool header = std::any_of(fields.begin(), fields.end(), [&](const io::Field& field) {
    return names.find_mode(field.text).has_value();
  });
  if (!header) {
    for (int k = 0; k < names.order(); ++k) columns_.push_back(k);
    return Nothing{};
  }
  for (const io::Field& field : fields) {
    const auto mode = names.find_mode(field.text);
    if (!mode) return input_error(reader_->where(line, field.offset), names.no_such_mode(field.text));
    if (std::find(columns_.begin(), columns_.end(), *mode) != columns_.end())
      return input_error(reader_->where(line, field.offset),
                         fmt::format("found mode {} a second time", names.name(*mode)));
    columns_.push_back(*mode);
  }
  return Nothing{};
}

Result<> QueryReader::take(std::string_view line, std::vector<Query>& queries) {
  if (splitter_->split(line) != io::SplitOutcome::kFine)
    return input_error(reader_->where(line, splitter_->trouble()), "found quotes that do not match");
  const auto fields = splitter_->fields();
  if (fields.size() > columns_.size())
    return input_error(reader_->where(line, fields[columns_.size()].offset),
                       fmt::format("found {} fields, expected at most {}: a question has no value, ? and * "
                                   "stand for modes that are open and that do not matter",
                                   fields.size(), columns_.size()));
  Query query = rules_->blank();
  std::string scratch;
  for (std::size_t c = 0; c < fields.size(); ++c)
    if (const auto wrong = rules_->set(query, columns_[c], io::field_text(fields[c], scratch)))
      return input_error(reader_->where(line, fields[c].offset), *wrong);
  if (const auto lacks = rules_->incomplete(query)) return input_error(reader_->where(), *lacks);
  queries.push_back(std::move(query));
  return Nothing{};
}

Result<bool> QueryReader::next(std::size_t most, std::vector<Query>& queries) {
  std::string_view line;
  while (queries.size() < most) {
    if (!queries.empty() && !reader_->line_ready()) return true;
    if (!reader_->next(line)) {
      if (auto fine = reader_->status(); !fine) return fine.error();
      return !queries.empty();
    }
    if (io::trim(line).empty()) continue;
    const bool first = !splitter_;
    if (first)
      if (auto begun = begin(line, delimiter_); !begun) return begun.error();
    const bool header = first && rules_->names().find_mode(splitter_->fields()[0].text).has_value();
    if (header) continue;
    if (auto taken = take(line, queries); !taken) return taken.error();
  }
  return true;
}

}  // namespace lacuna::cli
