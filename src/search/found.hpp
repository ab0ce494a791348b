// SPDX-License-Identifier: MIT
// What is to be fitted in the end: found by a search where something is open, counted in steps, or as it was asked for.
#pragma once

#include <memory>
#include <vector>

#include "search/evaluator.hpp"

namespace lacuna {

// What a search ends with.
struct Found {
  Settings settings{};  // nothing in it is open but what the method's default is good for
  std::shared_ptr<const FitResult> trial{};  // of the best trial, where there was a search
  bool grown = false;                        // its factors are where the final fit should begin
  bool keep_trial = false;                   // there is no time for another fit
  bool cut_short = false;                    // the time for choosing was up before all was tried
  Count applications = 0;                    // of operators, by all trials
  double error = 0.0;                        // on the held-out entries, of what is to be fitted
  std::vector<Found> others{};               // that are blended with this one, if any
  std::vector<double> weights{};             // of this one and of each other
};

// The Huber loss fits several times, with weights that follow from the fit before.
[[nodiscard]] inline bool is_robust(const Settings& settings) {
  return settings.loss.value_or(Loss::kSquared) == Loss::kHuber;
}
// The share of the entries to count steps on, where nothing else is chosen.
[[nodiscard]] double steps_share(const Settings& settings);

// Of entries that choosing may see.
[[nodiscard]] Found choose_settings(const ObservedTensor& seen, const Settings& asked,
                                    const FitCallbacks& callbacks, const Stopwatch& watch);

}  // namespace lacuna
