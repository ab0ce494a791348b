// SPDX-License-Identifier: MIT
// How a fit is watched: a live line on a terminal, a table elsewhere, a history file. All are callbacks.
#pragma once

#include <lacuna/method/fit.hpp>
#include <memory>
#include <string>

#include "command.hpp"

namespace lacuna::cli {

// Shows progress on stderr. On a terminal one line is rewritten (with -v a table scrolls); elsewhere a table.
class ProgressView {
 public:
  ProgressView(const Output& output, const FitOptions& options, bool has_test);
  void show(const FitProgress& progress);
  void finish();  // ends a live line

 private:
  [[nodiscard]] double fraction(const FitProgress& progress) const;
  void show_line(const FitProgress& progress);
  void show_row(const FitProgress& progress);

  FitOptions options_;
  bool has_test_;
  bool quiet_;
  bool live_;
  bool header_shown_ = false;
  double first_gradient_ = 0.0;
  double shown_fraction_ = 0.0;
};

// iteration,seconds,objective,gradient_norm,train_rmse,test_rmse,test_auc,gap: a line for each step. The file
// appears, or is replaced, whole and at the end.
class History {
 public:
  void add(const FitProgress& progress);
  Result<> save(const std::string& path) const;

 private:
  std::string text_ = "iteration,seconds,objective,gradient_norm,train_rmse,test_rmse,test_auc,gap\n";
};

}  // namespace lacuna::cli
