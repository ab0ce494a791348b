// SPDX-License-Identifier: MIT
// What one fit of the search found out.
#pragma once

#include <lacuna/search/fit.hpp>
#include <limits>
#include <memory>
#include <vector>

namespace lacuna {

// A fit on the kept entries, judged on the held-out ones.
struct Trial {
  Settings settings{};
  // RMSE, 1 - AUC where all values are 0 or 1, or 1 - MRR where there are nothing but facts.
  double error = std::numeric_limits<double>::infinity();
  int steps = 0;              // the last ones whose error is within half a standard error of the lowest
  bool from_factors = false;  // of another trial, which its steps count on
  bool falling = false;       // it was still falling when the fit ended
  double work = 0.0;          // multiply-adds
  bool latent = false;        // its model is a sum of latent parts
  bool full_rank = false;     // of which none can have more columns
  std::vector<int> ranks{};   // of its model
  // Of that step. Where a trial is remembered it has no model (is_gone): what a strategy asks
  // of one beside its numbers above, and goes on with, it must ask the Journal for (remembered()).
  std::shared_ptr<const FitResult> result = std::make_shared<const FitResult>();

  [[nodiscard]] const Model& model() const { return result->model; }
};
[[nodiscard]] inline bool is_gone(const Model& model) { return model.modes.empty(); }

}  // namespace lacuna
