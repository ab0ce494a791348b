// SPDX-License-Identifier: MIT
// TR-MM: problem D by trust region, along a path of growing lambda. Large lambdas make A(u) ill-conditioned
// and have bad local minima for small ranks; starting each near the solution of the one before avoids the
// second and spares most of the steps that would suffer from the first.
#include "method/latent/latent_run.hpp"
#include "method/latent/minimize.hpp"
#include "problem/dual_problem.hpp"

namespace lacuna {
namespace {
// A stage of the path only provides a starting point for the next one: few steps and a rough tolerance
// suffice.
constexpr int kStageIterations = 30;
constexpr double kStageTolerance = 0.05;
// With near parts on a grid Z is solved no closer, in units of ||Y||, than so many tolerances: smooth data are
// fitted so closely that ||Z||, which the solves are relative to, is far below what predictions depend on.
constexpr double kNearFloor = 10.0;
constexpr double kGapAccuracy = 1e-4;  // lacuna certify has the time for more

// The best step so far by held-out error.
template <class Real>
struct Kept {
  std::vector<Matrix<Real>> u;
  std::vector<Real> z;
  double misfit = 0.0;

  template <class A>
  void fields(A& archive) {
    archive("u", u);
    archive("z", z);
    archive("misfit", misfit);
  }
  // Moves it there; nothing is left here.
  void restore(std::vector<Matrix<Real>>& to, typename DualProblem<Real>::State& state) {
    to = std::move(u);
    state.z = std::move(z);
    state.misfit = misfit;
  }
};

// How far the fit has come along its path.
template <class Real>
struct Progress {
  std::size_t stage = 0;
  int left = 0;  // steps
  std::optional<Kept<Real>> best{};

  template <class A>
  void fields(A& archive) {
    archive("stage", stage);
    archive("left", left);
    archive("best", best);
  }
  // Whether it is one of a path of so many stages, of these factors and of so many entries.
  [[nodiscard]] bool fits(std::size_t stages, const std::vector<Matrix<Real>>& u, Count entries) const {
    bool same = stage < stages;
    if (!best) return same;
    same = same && best->u.size() == u.size() && static_cast<Count>(best->z.size()) == entries;
    for (std::size_t p = 0; same && p < u.size(); ++p)
      same = best->u[p].rows() == u[p].rows() && best->u[p].cols() == u[p].cols();
    return same;
  }
};

MinimizeOptions stage_options(const Settings& options, bool last, int left) {
  return {.optimizer = *options.latent.optimizer,
          .max_iterations = last ? left : std::min(left / 2, kStageIterations),
          .tolerance = last ? *options.tolerance : std::max(kStageTolerance, *options.tolerance)};
}

std::vector<double> multiplied(std::vector<double> values, double factor) {
  for (double& value : values) value *= factor;
  return values;
}
}  // namespace

template <class Real>
Solution<Real> solve_dual(const std::shared_ptr<Layouts>& layouts, const FitPlan& plan,
                          const Settings& options, FitRun& run) {
  ProblemData<Real> data(layouts, plan.specs(), plan.lambda, plan.ranks);
  const LatentReport report(run, data.parts(), plan.ranks);
  run.share_state(layouts->tensor(), {"path/best/z", "solver/state/z", "solver/start/z"});

  Solution<Real> solution;
  solution.u = run.going_on() ? empty_factors(data, plan) : starting_factors(data, plan, options);
  // Without a step the Z of other settings would pass for this one's wherever it is close enough.
  if (*options.max_iterations > 0 && !run.going_on()) solution.z = starting_dual<Real>(*layouts, options);
  const ProductManifold<Real> manifold = spectrahedra(data, plan.ranks);
  Count applied = 0;  // by the stages before
  SentSums sums;      // likewise, of this run
  Progress<Real> at_work{.left = *options.max_iterations};
  const auto fields = [&](Archive& archive) { archive("path", at_work); };
  if (run.going_on()) run.load(fields);
  if (!at_work.fits(plan.path.size(), solution.u, data.entries()))
    Archive::refuse("path", "a stage of this fit");
  std::optional<Kept<Real>>& best = at_work.best;
  const double floor = has_grids(data.parts()) ? kNearFloor * *options.tolerance : 0.0;
  for (; at_work.stage < plan.path.size(); ++at_work.stage) {
    const double factor = plan.path[at_work.stage];
    const bool last = factor == 1.0;
    data.set_lambda(multiplied(plan.lambda, factor));
    if (!run.going_on()) run.start_stage(factor);

    DualProblem<Real> problem(data, {.floor = floor}, run.poll());
    problem.start_from(std::move(solution.z));
    typename DualProblem<Real>::State state;
    const StepKeeper keeper = run.keeper(fields, [&] { applied = run.progress().operator_applications; });
    solution.summary = minimize(
        manifold, problem, solution.u, state, stage_options(options, last, at_work.left), run.poll(),
        [&](const IterationRecord& record, const std::vector<Matrix<Real>>& u, const auto& at) {
          Measured measured{.train_rmse = at.misfit / std::sqrt(data.total_weight()),
                            .operator_applications = applied + problem.operator_applications()};
          if (options.latent.certify == Certify::kEveryStep)
            run.untimed([&] { measured.gap = certify<Real>(data, u, at.z, at.misfit, kGapAccuracy).gap(); });
          const Flow flow = report.step<Real>(record, measured, u, data.lambda(), at.z);
          if (options.search.keep_best && last && run.at_the_best())
            best = {.u = u, .z = at.z, .misfit = at.misfit};
          return flow;
        },
        &keeper);
    if (best) best->restore(solution.u, state);
    if ((last || run.stopped()) && !run.interrupted() && options.latent.certify != Certify::kNever)
      run.untimed([&] {
        solution.certificate = certify<Real>(data, solution.u, state.z, state.misfit, kGapAccuracy);
      });
    solution.z = std::move(state.z);
    applied += problem.operator_applications();
    sums.add(problem.sent_sums());
    at_work.left -= solution.summary.iterations;
    if (run.stopped()) break;
  }
  solution.lambda = data.lambda();
  solution.set_mixture(data);
  tell_traffic<Real>(data.parts(), plan.ranks, run, sums);
  return solution;
}

template Solution<double> solve_dual(const std::shared_ptr<Layouts>&, const FitPlan&, const Settings&,
                                     FitRun&);
template Solution<float> solve_dual(const std::shared_ptr<Layouts>&, const FitPlan&, const Settings&,
                                    FitRun&);

}  // namespace lacuna
