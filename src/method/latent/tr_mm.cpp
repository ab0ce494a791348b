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
  double misfit;
};
}  // namespace

template <class Real>
Solution<Real> solve_dual(const std::shared_ptr<Layouts>& layouts, const FitPlan& plan,
                          const Settings& options, FitRun& run) {
  ProblemData<Real> data(layouts, plan.specs(), plan.lambda);
  const LatentReport report(run, data.parts());

  Solution<Real> solution;
  solution.u = starting_factors(data, plan, options);
  // Without a step the Z of other settings would pass for this one's wherever it is close enough.
  if (*options.max_iterations > 0) solution.z = starting_dual<Real>(*layouts, options);
  const ProductManifold<Real> manifold = spectrahedra(data, plan.ranks);
  Count applied = 0;  // by the stages before
  int left = *options.max_iterations;
  const double floor = has_grids(data.parts()) ? kNearFloor * *options.tolerance : 0.0;
  for (const double factor : plan.path) {
    const bool last = factor == 1.0;
    std::vector<double> lambda = plan.lambda;
    for (double& value : lambda) value *= factor;
    data.set_lambda(std::move(lambda));
    run.start_stage(factor);

    DualProblem<Real> problem(data, {.floor = floor}, run.poll());
    problem.start_from(std::move(solution.z));
    typename DualProblem<Real>::State state;
    std::optional<Kept<Real>> best;
    const MinimizeOptions stage{
        .optimizer = *options.latent.optimizer,
        .max_iterations = last ? left : std::min(left / 2, kStageIterations),
        .tolerance = last ? *options.tolerance : std::max(kStageTolerance, *options.tolerance)};
    solution.summary = minimize(
        manifold, problem, solution.u, state, stage, run.poll(),
        [&](const IterationRecord& record, const std::vector<Matrix<Real>>& u, const auto& at) {
          Measured measured{.train_rmse = at.misfit / std::sqrt(data.total_weight()),
                            .operator_applications = applied + problem.operator_applications()};
          if (options.latent.certify == Certify::kEveryStep)
            run.untimed([&] { measured.gap = certify<Real>(data, u, at.z, at.misfit, kGapAccuracy).gap(); });
          const Flow flow = report.step<Real>(record, measured, u, data.lambda(), at.z);
          if (options.search.keep_best && last && run.at_the_best())
            best = {.u = u, .z = at.z, .misfit = at.misfit};
          return flow;
        });
    if (best) {
      solution.u = std::move(best->u);
      state.z = std::move(best->z);
      state.misfit = best->misfit;
    }
    if ((last || run.stopped()) && !run.interrupted() && options.latent.certify != Certify::kNever)
      run.untimed([&] {
        solution.certificate = certify<Real>(data, solution.u, state.z, state.misfit, kGapAccuracy);
      });
    solution.z = std::move(state.z);
    applied += problem.operator_applications();
    left -= solution.summary.iterations;
    if (run.stopped()) break;
  }
  solution.lambda = data.lambda();
  solution.set_mixture(data);
  tell_traffic(data.parts(), run);
  return solution;
}

template Solution<double> solve_dual(const std::shared_ptr<Layouts>&, const FitPlan&, const Settings&,
                                     FitRun&);
template Solution<float> solve_dual(const std::shared_ptr<Layouts>&, const FitPlan&, const Settings&,
                                    FitRun&);

}  // namespace lacuna
