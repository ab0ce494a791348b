// SPDX-License-Identifier: MIT
// The questions of lacuna top and the cells of lacuna explain: words such as user=42, or the lines of a file or stream.
#pragma once

#include <lacuna/base/base.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "io/text/fields.hpp"
#include "mode_names.hpp"

namespace lacuna::cli {

// What a question says of a mode: a position, nothing ("?": the answer says it), or that it does not matter ("*").
enum class Asked : char { kFixed, kOpen, kLeftOut };

struct Query {
  std::vector<Asked> role;
  std::vector<Index> at;  // kUnseen unless fixed
};

// How fields are read, and what holds of modes that a question does not name.
class QueryRules {
 public:
  // Cells that are whole: no mode is open.
  explicit QueryRules(const ModeNames& names) : names_(&names), cells_(true) {}
  // `open`: the modes that answers are to name, the others that a question does not fix do not matter. Empty:
  // every mode that a question does not name is open.
  QueryRules(const ModeNames& names, std::vector<int> open) : names_(&names), open_(std::move(open)) {}

  [[nodiscard]] const ModeNames& names() const { return *names_; }
  [[nodiscard]] Query blank() const;
  // Takes up one field of a mode; the message says what is wrong with it.
  [[nodiscard]] std::optional<std::string> set(Query& query, int mode, std::string_view text) const;
  // user=42 item=? (one question), or one row such as head,relation,?
  [[nodiscard]] Result<Query> from_words(const std::vector<std::string>& words) const;
  // Is this word one of those, and not a file?
  [[nodiscard]] bool is_question(const std::string& word) const;
  // What a word that is neither stands for, where it is a position of some mode.
  [[nodiscard]] std::optional<std::string> meant(const std::string& word) const;
  // What a question lacks, or has too much.
  [[nodiscard]] std::optional<std::string> incomplete(const Query& query) const;
  // What people know it as: "QUERIES" or "CELL".
  [[nodiscard]] const char* argument() const { return cells_ ? "CELL" : "QUERIES"; }

 private:
  [[nodiscard]] Result<Query> whole(Query query) const;

  const ModeNames* names_;
  std::vector<int> open_{};
  bool cells_ = false;
};

// Questions from the lines of a text file. A first line that names modes says which columns they are in; without
// one the columns are the modes in order, and those that a line lacks are not named.
class QueryReader {
 public:
  // "-" is the standard input. `delimiter` empty: found from the first line.
  static Result<QueryReader> open(const std::string& path, const std::string& delimiter,
                                  const QueryRules& rules);

  // Appends questions until there are `most`, or until the next one would have to be waited for. False: there
  // are none left.
  Result<bool> next(std::size_t most, std::vector<Query>& queries);

 private:
  QueryReader(io::TextReader reader, const QueryRules& rules)
      : reader_(std::make_unique<io::TextReader>(std::move(reader))), rules_(&rules) {}
  Result<> begin(std::string_view line, std::string delimiter);
  Result<> take(std::string_view line, std::vector<Query>& queries);

  std::unique_ptr<io::TextReader> reader_;
  const QueryRules* rules_;
  std::string delimiter_;  // as asked for
  std::optional<io::FieldSplitter> splitter_;
  std::vector<int> columns_;  // the mode of each
};

}  // namespace lacuna::cli
