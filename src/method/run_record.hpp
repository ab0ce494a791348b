// SPDX-License-Identifier: MIT
// What a model keeps of the run that made it, whoever ran it: the command line or Python.
#pragma once

#include <lacuna/method/fit_once.hpp>

namespace lacuna {

[[nodiscard]] StepRecord step_record(const FitProgress& step);

// What the result says of the run; files, tuning and the like are the caller's to add.
[[nodiscard]] RunRecord run_record(const FitResult& result, std::string command,
                                   std::vector<StepRecord> history);

}  // namespace lacuna
