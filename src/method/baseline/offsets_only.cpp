// SPDX-License-Identifier: MIT
// Methods mean and offsets: the offsets are the model, so only the training error is computed.
#include <cmath>

#include "method/solve.hpp"
#include "tensor/weighted_square.hpp"

namespace lacuna {

Solved solve_offsets(ObservedTensor& tensor, const Settings&, FitRun& run) {
  const double squares = run.everyone().sum(weighted_square(tensor, tensor.values()));
  const IterationRecord record{.objective = 0.5 * squares};
  run.report(record, {.train_rmse = std::sqrt(squares / run.everyone().sum(tensor.total_weight()))},
             [](std::span<double>) {});
  return {.body = {}, .summary = {.reason = StopReason::kDirect, .objective = record.objective}};
}

}  // namespace lacuna
