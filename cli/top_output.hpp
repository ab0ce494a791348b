// SPDX-License-Identifier: MIT
// Top lists as people and programs read them: a table with a line for each cell, or a JSON object for each question.
#pragma once

#include <lacuna/evaluate/top.hpp>
#include <optional>
#include <string>

#include "cell_queries.hpp"
#include "interval_flag.hpp"
#include "io/text/writer.hpp"

namespace lacuna::cli {

class TopOutput {
 public:
  struct Options {
    std::string path{};  // empty or "-": standard output
    bool json = false;
    double interval = 0.0;  // probability with which intervals hold; 0: none
  };
  // The predictor and the names must outlive it.
  static Result<TopOutput> open(const Predictor& predictor, const ModeNames& names, Options options);

  // The answers to questions of one kind, in their order.
  Result<> write(const std::vector<Query>& queries, std::size_t first, const TopLists& lists);
  Result<> finish();  // nothing is at `path` before
  [[nodiscard]] Count cells() const { return cells_; }

 private:
  TopOutput(const Predictor& predictor, const ModeNames& names, Options options)
      : predictor_(&predictor), names_(&names), options_(std::move(options)) {}
  using Ends = IntervalEnds;
  [[nodiscard]] std::vector<Ends> intervals(const TopLists& lists) const;
  void header();
  void table_line(const Query& query, Count rank, const TopLists& lists, Count cell, const Ends& ends);
  void json_line(const Query& query, const TopLists& lists, Count first, Count last,
                 const std::vector<Ends>& ends);
  Result<> flush();

  const Predictor* predictor_;
  const ModeNames* names_;
  Options options_;
  std::string delimiter_ = ",";
  std::string text_;
  std::optional<io::TextWriter> file_;
  Count questions_ = 0;
  Count cells_ = 0;
};

}  // namespace lacuna::cli
