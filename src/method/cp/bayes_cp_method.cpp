// SPDX-License-Identifier: MIT
// Method bayescp: the loop around BayesCp. Its objective is minus the lower bound of the evidence. Columns
// are balanced once the first sweeps have sorted the components out: before, it drops some that are worth
// keeping.
#include <cmath>
#include <stdexcept>

#include "method/cp/bayes_cp.hpp"
#include "method/ranks.hpp"
#include "method/solve.hpp"
#include "model/body.hpp"

namespace lacuna {
namespace {

constexpr int kLeastSweeps = 6;  // of a new start: the authors'
constexpr int kPruneFrom = 2;    // the sweep after which components may be dropped: likewise

// A model to go on from, if it is of these modes and knows its covariances.
const Cp* warm_model(const ObservedTensor& tensor, const Settings& options) {
  if (options.warm_start == nullptr) return nullptr;
  const auto* cp = std::get_if<Cp>(&*options.warm_start->body);
  if (cp == nullptr || cp->covariance.empty() ||
      extents(options.warm_start->modes) != extents(tensor.modes()))
    throw std::invalid_argument("bayescp can only start from a model of its own, of the same modes");
  return cp;
}

Summary iterate(BayesCp& solver, bool warm, const Settings& options, FitRun& run) {
  Summary summary{.reason = StopReason::kMaxIterations};
  double reference = 0.0;  // the bound that changes are relative to
  double last = 0.0;
  int step = 0;  // whole ones
  const auto fields = [&](Archive& archive) {
    archive("solver", solver);
    archive("reference", reference);
    archive("last", last);
    archive("step", step);
    archive("summary", summary);
  };
  run.go_on_from(fields);
  if (step > *options.max_iterations) Archive::refuse("step", "one of this fit");
  for (++step; step <= *options.max_iterations; ++step) {
    if (run.stop_before_step() || !solver.sweep(run.poll_unless_kept(), warm || step >= kLeastSweeps)) break;
    const double bound = solver.lower_bound();
    if (step <= 2) reference = std::abs(bound);
    summary.iterations = step;
    summary.objective = -bound;
    summary.gradient_norm = step == 1 ? std::abs(bound) : std::abs(bound - last);
    summary.relative_gradient = relative_gradient_norm(summary.gradient_norm, reference);
    last = bound;
    if (step >= kPruneFrom) solver.prune();
    const IterationRecord record{.iteration = step,
                                 .objective = summary.objective,
                                 .gradient_norm = summary.gradient_norm,
                                 .relative_gradient = summary.relative_gradient};
    const auto add_test = [&](std::span<double> out) { add_values(solver.means(), run.test()->cells, out); };
    const Flow flow = run.report(record, {.train_rmse = solver.train_rmse()}, add_test);
    const bool done = step >= (warm ? 2 : kLeastSweeps) && summary.relative_gradient < *options.tolerance;
    if (!done && run.keep_wanted()) run.keep(fields);
    if (flow == Flow::kStop) break;
    if (done) {
      summary.reason = StopReason::kSmallChange;
      break;
    }
  }
  if (run.stopped()) summary.reason = StopReason::kStopped;
  return summary;
}

}  // namespace

Solved solve_bayes_cp(ObservedTensor& tensor, const Settings& options, FitRun& run) {
  const int rank = one_rank(options);
  const Cp* warm = warm_model(tensor, options);
  Rng rng(options.seed);
  BayesCp solver = warm != nullptr ? BayesCp(tensor, *warm) : BayesCp(tensor, rank, *options.start, rng);
  run.guess_unseen();
  Solved solved;
  solved.summary = iterate(solver, warm != nullptr, options, run);
  solved.body = solver.model();
  return solved;
}

}  // namespace lacuna
