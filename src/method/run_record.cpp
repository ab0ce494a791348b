// SPDX-License-Identifier: MIT
#include "method/run_record.hpp"

#include <lacuna/base/base.hpp>
#include <utility>

namespace lacuna {

StepRecord step_record(const FitProgress& step) {
  return {.iteration = step.iteration,
          .seconds = step.seconds,
          .objective = step.objective,
          .gradient_norm = step.gradient_norm,
          .train_rmse = step.train_rmse,
          .test_rmse = step.test_rmse,
          .test_auc = step.test_auc,
          .test_mrr = step.test_mrr,
          .gap = step.gap,
          .operator_applications = step.operator_applications};
}

RunRecord run_record(const FitResult& result, std::string command, std::vector<StepRecord> history) {
  return {.command = std::move(command),
          .threads = thread_count(),
          .iterations = result.last.iteration,
          .seconds = result.seconds,
          .choosing_seconds = result.choosing_seconds,
          .stop_reason = result.stop_reason,
          .held_out_rmse = result.held_out_rmse,
          .held_out_auc = result.held_out_auc,
          .held_out_mrr = result.held_out_mrr,
          .history = std::move(history)};
}

}  // namespace lacuna
