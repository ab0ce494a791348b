// SPDX-License-Identifier: MIT
// Method als: the loop around Als. Its objective is minus the lower bound of the evidence; the tolerance is on
// its fall in a sweep, for each unit of weight.
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "method/latent/als.hpp"
#include "method/latent/latent_run.hpp"
#include "method/solve.hpp"

namespace lacuna {
namespace {

// The parts with nothing but their modes and rank: their ridges follow from the data.
std::vector<PartOptions> bare_parts(const ObservedTensor& tensor, const Settings& options,
                                    const FitRun& run) {
  std::vector<PartOptions> parts = *options.latent.parts;
  bool dropped = false;
  for (PartOptions& part : parts) {
    check_part(part.spec, tensor.order());
    if (!part.spec.near.empty() || !part.spec.learns())
      throw std::invalid_argument(
          "method als takes parts that learn a mode, with others that agree, not near ones");
    const PartOptions bare{.spec = {.mode = part.spec.mode, .agree = part.spec.agree, .side = part.spec.side},
                           .rank = part.rank};
    dropped = dropped || !(bare == part);
    part = bare;
  }
  if (dropped)
    run.notice("als finds the ridges of its parts by itself: their lambda, rows and fibers are not used");
  return parts;
}

Summary iterate(Als& als, const ObservedTensor& tensor, const Settings& options, FitRun& run) {
  Summary summary{.reason = StopReason::kMaxIterations};
  std::optional<AlsCells> cells;
  if (run.test() != nullptr) run.untimed([&] { cells.emplace(tensor, als.parts(), run.test()->cells); });
  if (cells && !options.offsets->mean) run.guess_silent(cells->silent());
  std::optional<Als::Kept> best;
  double last = 0.0;
  int step = 0;  // whole ones
  const auto fields = [&](Archive& archive) {
    archive("als", als);
    archive("best", best);
    archive("step", step);
    archive("last", last);
    archive("summary", summary);
  };
  if (run.may_be_kept()) als.keep(best.emplace());  // of the right size
  run.go_on_from(fields);
  if (step > *options.max_iterations) Archive::refuse("step", "one of this fit");
  if (step == 0) best.reset();
  for (++step; step <= *options.max_iterations; ++step) {
    if (run.stop_before_step() || !als.sweep(run.poll_unless_kept())) break;
    summary.iterations = step;
    summary.objective = als.objective();
    summary.gradient_norm = step == 1 ? std::abs(summary.objective) : std::abs(last - summary.objective);
    summary.relative_gradient = relative_gradient_norm(summary.gradient_norm, tensor.total_weight());
    last = summary.objective;
    const IterationRecord record{.iteration = step,
                                 .objective = summary.objective,
                                 .gradient_norm = summary.gradient_norm,
                                 .relative_gradient = summary.relative_gradient};
    const Flow flow = run.report(record, {.train_rmse = als.train_rmse()},
                                 [&](std::span<double> out) { cells->add_values(als, out); });
    if (options.search.keep_best && run.at_the_best()) als.keep(best ? *best : best.emplace());
    const bool done = step > 1 && summary.relative_gradient < *options.tolerance;
    if (!done && run.keep_wanted()) run.keep(fields);
    if (flow == Flow::kStop) break;
    if (done) {
      summary.reason = StopReason::kSmallChange;
      break;
    }
  }
  if (best) als.restore(*best);
  if (run.stopped()) summary.reason = StopReason::kStopped;
  return summary;
}

}  // namespace

Solved solve_als(ObservedTensor& tensor, const Settings& options, FitRun& run) {
  const std::vector<PartOptions> parts = bare_parts(tensor, options, run);
  std::vector<PartSpec> specs;
  for (const PartOptions& part : parts) specs.push_back(part.spec);
  const std::vector<int> ranks = plan_ranks(tensor, parts, options, run);
  Solved solved;
  Latent latent;
  std::vector<double> left;
  {
    Als als(tensor, specs, ranks, options.seed);
    if (options.warm_start != nullptr) (void)als.start_from(*options.warm_start);
    solved.summary = iterate(als, tensor, options, run);
    for (std::size_t p = 0; p < specs.size(); ++p) latent.parts.push_back(als.part(p));
    solved.mixture = als.mixture();
    solved.effects = als.effects();
    run.record().parts = describe(parts, tensor.modes());
    run.record().ranks = ranks;
    run.record().set("noise", als.noise_deviation());
    left = als.weighted_residual();
  }
  tensor.replace_values(std::move(left));
  latent.dual = std::move(tensor);
  solved.body = std::move(latent);
  return solved;
}

}  // namespace lacuna
