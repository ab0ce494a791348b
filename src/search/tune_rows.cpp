// SPDX-License-Identifier: MIT
// What the folds of a row say together, and the settings that a row stands for.
#include <algorithm>
#include <cmath>
#include <lacuna/search/fit.hpp>
#include <limits>

namespace lacuna {

std::string_view name(Metric metric) {
  return metric == Metric::kAuc ? "auc" : metric == Metric::kMae ? "mae" : "rmse";
}

bool TuneRow::complete() const {
  return std::all_of(errors.begin(), errors.end(), [](const auto& error) { return error.has_value(); });
}

double TuneRow::mean() const {
  double sum = 0.0;
  int count = 0;
  for (const auto& error : errors) {
    sum += error.value_or(0.0);
    count += error ? 1 : 0;
  }
  return count > 0 ? sum / count : std::numeric_limits<double>::infinity();
}

double TuneRow::spread() const {
  double squares = 0.0;
  int count = 0;
  for (const auto& error : errors) {
    if (!error) continue;
    squares += (*error - mean()) * (*error - mean());
    ++count;
  }
  return count > 1 ? std::sqrt(squares / (count - 1) / count) : 0.0;
}

Settings settings_of(const TuneOptions& options, const TuneRow& row) {
  Settings settings = options.candidates[row.candidate].options;
  if (row.lambda) settings.lambda = *row.lambda;
  return settings;
}

Settings settings_of(const TuneOptions& options, const TuneResult& result) {
  Settings settings = settings_of(options, result.rows[result.best]);
  if (options.max_time) settings.max_time = std::max(1e-3, *options.max_time - result.seconds);
  return settings;
}

}  // namespace lacuna
