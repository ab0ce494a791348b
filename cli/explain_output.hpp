// SPDX-License-Identifier: MIT
// Explanations as people and programs read them: a block of lines, or a JSON object, for each cell.
#pragma once

#include <lacuna/model/explain.hpp>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "cell_queries.hpp"
#include "interval_flag.hpp"

namespace lacuna::cli {

class ExplainOutput {
 public:
  // Model and names must outlive it. `interval`: the probability with which intervals hold; 0: none.
  ExplainOutput(const Model& model, const ModeNames& names, double interval)
      : model_(&model), names_(&names), interval_(interval), range_(prediction_range(model)) {}

  [[nodiscard]] std::string block(const Query& query, const Explanation& explanation) const;
  [[nodiscard]] nlohmann::ordered_json object(const Query& query, const Explanation& explanation) const;

 private:
  [[nodiscard]] IntervalEnds ends_of(const Explanation& explanation) const;
  [[nodiscard]] std::string at(const Query& query, const std::vector<int>& modes) const;
  [[nodiscard]] std::string what_of(const Model& model, const Query& query, const ExplainedTerm& term) const;
  [[nodiscard]] std::string what(const Query& query, const ExplainedTerm& term) const;
  [[nodiscard]] std::string part_text(const Query& query, const ExplainedTerm& term) const;
  void add_details(const ExplainedTerm& term, double scale, std::string& text) const;
  void add_entries(const ExplainedTerm& term, double scale, std::string& text) const;
  [[nodiscard]] nlohmann::ordered_json place(const Query& query, const std::vector<int>& modes) const;
  [[nodiscard]] nlohmann::ordered_json term_object(const Query& query, const ExplainedTerm& term) const;
  void add_part(const Query& query, const ExplainedTerm& term, nlohmann::ordered_json& object) const;

  const Model* model_;
  const ModeNames* names_;
  double interval_;
  std::optional<Range> range_;  // where predictions are kept
};

}  // namespace lacuna::cli
