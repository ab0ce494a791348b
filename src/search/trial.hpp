// SPDX-License-Identifier: MIT
#pragma once

#include <lacuna/search/fit.hpp>
#include <limits>

namespace lacuna {

// A fit on the kept entries, judged on the held-out ones.
struct Trial {
  Settings settings{};
  // RMSE, 1 - AUC where all values are 0 or 1, or 1 - MRR where there are nothing but facts.
  double error = std::numeric_limits<double>::infinity();
  int steps = 0;              // after which the error was lowest
  bool from_factors = false;  // of another trial, which its steps count on
  bool falling = false;       // it was still falling when the fit ended
  double work = 0.0;          // multiply-adds
  FitResult result{};  // of the step with the lowest error; without a model where a trial is remembered
};

}  // namespace lacuna
