// SPDX-License-Identifier: MIT
// Fits in a sequence of fits that is kept in a checkpoint.
#pragma once

#include <functional>
#include <lacuna/method/fit_once.hpp>

#include "model/journal.hpp"

namespace lacuna {

struct FitTask {
  std::string kind;     // of task
  std::string about{};  // what was asked
  Journal::Hold hold = Journal::Hold::kLastTwo;
};

// fit(callbacks), or what it came to in the run that this one goes on with: its steps are then told again, and its
// model is gone (is_gone) unless it was held. What is made of it must be remembered, too.
[[nodiscard]] FitResult remember(const FitCallbacks& callbacks, const FitTask& task,
                                 const std::function<FitResult(const FitCallbacks&)>& fit);

// A checkpoint comes from a file that nobody vouches for. Throws CheckpointError when it holds a model of other modes,
// and SavedError when the certificate is not of the model it was remembered with.
void check_remembered(const Journal& journal, const std::vector<Mode>& modes);
void check_remembered(const FitResult& result);

// The same of fit_once(), holding the models of the last two.
[[nodiscard]] FitResult fit_remembered(const ObservedTensor& tensor, const Settings& settings,
                                       const FitCallbacks& callbacks, const Entries* test);

}  // namespace lacuna
