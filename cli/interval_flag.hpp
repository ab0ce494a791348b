// SPDX-License-Identifier: MIT
// --interval of the verbs that print predictions, and the ends of an interval.
#pragma once

#include <CLI/CLI.hpp>
#include <lacuna/model/model.hpp>
#include <optional>
#include <string>

#include "command.hpp"

namespace lacuna::cli {

class IntervalFlag {
 public:
  void add_flag(CLI::App& command);
  // The probability with which intervals are to hold; 0: none. `path` is the model's file.
  [[nodiscard]] Result<double> level(const Model& model, const std::string& path) const;

 private:
  std::optional<double> asked_;
};

// Whether the entries held out for intervals can tell those of this level, wherever a cell is; 0: none are asked for.
Result<> check_interval(double level, const Model& model, const std::string& path);

// Nothing where the entries held out for intervals cannot tell. `range`: where predictions are kept.
struct IntervalEnds {
  std::optional<double> low{};
  std::optional<double> high{};
};
[[nodiscard]] IntervalEnds interval_ends(const Calibration& calibration, const std::optional<Range>& range,
                                         double value, Count support, double level);

}  // namespace lacuna::cli
