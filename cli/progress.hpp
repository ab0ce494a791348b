// SPDX-License-Identifier: MIT
// How a fit is watched: a live line on a terminal, a table elsewhere, a history file. All are callbacks.
#pragma once

#include <lacuna/method/fit_once.hpp>
#include <memory>
#include <string>
#include <vector>

#include "command.hpp"

namespace lacuna::cli {

// Shows progress on stderr. On a terminal one line is rewritten (with -v a table scrolls); elsewhere a table.
class ProgressView {
 public:
  ProgressView(const Output& output, const Settings& options, bool has_test);
  void show(const FitProgress& progress);
  void finish();  // ends a live line

 private:
  [[nodiscard]] double fraction(const FitProgress& progress) const;
  void show_line(const FitProgress& progress);
  void show_row(const FitProgress& progress);

  Settings options_;
  bool has_test_;
  bool quiet_;
  bool live_;
  bool header_shown_ = false;
  double first_gradient_ = 0.0;
  double shown_fraction_ = 0.0;
};

// Every step, for a CSV file and for the model's record.
class History {
 public:
  void add(const FitProgress& progress) { steps_.push_back(progress); }
  // iteration,seconds,objective,gradient_norm,train_rmse,test_rmse,test_auc,test_mrr,gap,operator_applications: a line
  // for each step. The file appears, or is replaced, whole.
  Result<> save(const std::string& path) const;
  [[nodiscard]] std::vector<StepRecord> records() const;

 private:
  std::vector<FitProgress> steps_;
};

// An error in as many digits as are of use, however large or small the values are.
[[nodiscard]] std::string error_text(double error);
// How often the operator was applied; empty for methods that have none.
[[nodiscard]] std::string applications_text(const FitResult& result);
// What to expect on cells that are missing as the file's are, where that was measured, and how long it took.
[[nodiscard]] std::string expectation_text(const FitResult& result);

}  // namespace lacuna::cli
