// SPDX-License-Identifier: MIT
// Method ffw: the loop around FrankWolfe. The reported gap is f(X) minus the best lower bound that the
// Frank-Wolfe gaps have given so far, so it never grows.
#include <algorithm>

#include "method/latent/frank_wolfe.hpp"
#include "method/solve.hpp"

namespace lacuna {
namespace {

constexpr Count kMostColumns = 50;  // of all parts, before the basis is reduced: the authors' demo's

class FfwReport {
 public:
  FfwReport(const FrankWolfe& solver, const ObservedTensor& tensor, FitRun& run)
      : solver_(&solver), run_(&run) {
    if (run.test() == nullptr) return;
    run.untimed([&] {
      std::vector<FiberLookup> lookups;
      for (const PartKernels& part : solver.kernels()) lookups.emplace_back(tensor, part.view());
      test_plan_.emplace(solver.kernels(), lookups, run.test()->cells, run.test()->coordinates);
      run.guess_silent(test_plan_->silent());
    });
  }

  Flow step(const IterationRecord& record, double gap) const {
    const Measured measured{.train_rmse = solver_->train_rmse(),
                            .gap = record.objective > 0.0 ? std::min(1.0, gap / record.objective) : 0.0};
    return run_->report(record, measured, [&](std::span<double> out) {
      for (std::size_t k = 0; k < solver_->kernels().size(); ++k) {
        const ModelPart part = solver_->part(k);
        test_plan_->add_factored(solver_->kernels()[k], k, part.factor, *part.right, part.lambda, out);
      }
    });
  }

 private:
  const FrankWolfe* solver_;
  FitRun* run_;
  std::optional<CellPlan> test_plan_;
};

Summary iterate(FrankWolfe& solver, const FfwReport& report, const Settings& options, FitRun& run) {
  Summary summary{.reason = StopReason::kMaxIterations};
  const double scale = solver.objective_at_zero();
  double lower = 0.0;
  int step = 0;
  const auto fields = [&](Archive& archive) {
    archive("solver", solver);
    archive("lower", lower);
    archive("step", step);
    archive("summary", summary);
  };
  // What is kept is of a step that was reported: it goes on with the move that follows.
  const auto move = [&](const FrankWolfe::Corner& to) {
    solver.step(to);
    if (solver.columns() > kMostColumns && (run.may_be_kept() || !run.stop_now())) solver.reduce();
    ++step;
  };
  const bool goes_on = run.go_on_from(fields);
  if (step > *options.max_iterations) Archive::refuse("step", "one of this fit");
  auto corner = solver.best_corner(run.poll_unless_kept());
  if (goes_on) {
    move(*corner);
    corner = solver.best_corner(run.poll_unless_kept());
  }
  while (corner) {
    summary.iterations = step;
    summary.objective = solver.objective();
    lower = std::max(lower, summary.objective - solver.gap(*corner));
    summary.gradient_norm = std::max(0.0, summary.objective - lower);
    summary.relative_gradient = relative_gradient_norm(summary.gradient_norm, scale);
    const IterationRecord record{.iteration = step,
                                 .objective = summary.objective,
                                 .gradient_norm = summary.gradient_norm,
                                 .relative_gradient = summary.relative_gradient};
    const Flow flow = report.step(record, summary.gradient_norm);
    const bool close = summary.relative_gradient <= *options.tolerance;
    const bool done = close || step >= *options.max_iterations;
    if (!done && run.keep_wanted()) run.keep(fields);
    if (flow == Flow::kStop) break;
    if (close) summary.reason = StopReason::kSmallGap;
    if (done) break;
    move(*corner);
    corner = solver.best_corner(run.poll_unless_kept());
  }
  if (run.stopped()) summary.reason = StopReason::kStopped;
  return summary;
}

}  // namespace

Solved solve_ffw(ObservedTensor& tensor, const Settings& options, FitRun& run) {
  Solved solved;
  Latent latent;
  {
    FrankWolfe solver(tensor, options.lambda.value_or(Settings::kDefaultLambda));
    solved.summary = iterate(solver, FfwReport(solver, tensor, run), options, run);
    std::vector<double> norms;
    for (std::size_t k = 0; k < solver.kernels().size(); ++k) {
      latent.parts.push_back(solver.part(k));
      norms.push_back(observed_norm(solver.kernels()[k], latent.parts[k].factor, *latent.parts[k].right));
    }
    solved.mixture = shares(std::move(norms));
    run.record().set("tau", run.unit().restored(solver.tau()));
    tensor.replace_values({solver.residual().begin(), solver.residual().end()});
  }
  latent.dual = std::move(tensor);
  solved.body = std::move(latent);
  return solved;
}

}  // namespace lacuna
