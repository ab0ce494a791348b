// SPDX-License-Identifier: MIT
// Methods mean and offsets: the offsets are the model, so only the training error is computed.
#include <cmath>

#include "base/parallel.hpp"
#include "method/solve.hpp"

namespace lacuna {

Solved solve_offsets(ObservedTensor& tensor, const Settings&, FitRun& run) {
  const double squares = parallel_sum(tensor.size(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) sum += tensor.weight(e) * tensor.values()[e] * tensor.values()[e];
    return sum;
  });
  const IterationRecord record{.objective = 0.5 * squares};
  run.report(record, {.train_rmse = std::sqrt(squares / tensor.total_weight())}, [](std::span<double>) {});
  return {.body = {}, .summary = {.reason = StopReason::kDirect, .objective = record.objective}};
}

}  // namespace lacuna
