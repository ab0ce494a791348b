// SPDX-License-Identifier: MIT
// TR-LS: problem P by trust region over (u, Z) together, from the dual's Z at the starting factors.
#include <algorithm>

#include "method/costs.hpp"
#include "method/latent/latent_run.hpp"
#include "method/latent/minimize.hpp"
#include "problem/dual_problem.hpp"
#include "problem/primal_problem.hpp"

namespace lacuna {
namespace {

// How closely the starting Z is solved for: so closely that it does not depend on the order of sums, which is another on
// each number of processes.
constexpr double kStartResidual = 1e-12;

// h depends on lambda and Z only through lambda Z. Lambda is scaled so that the starting Z has length 1, as
// the factors have: the trust region is a ball in (u, Z).
template <class Real>
void balance(ProblemData<Real>& data, std::vector<Real>& z) {
  const double length = std::sqrt(dot<Real>(data.everyone(), z, z));
  if (!(length > 0.0)) return;
  std::vector<double> lambda = data.lambda();
  for (double& value : lambda) value *= length;
  data.set_lambda(std::move(lambda));
  for (Real& value : z) value = static_cast<Real>(static_cast<double>(value) / length);
}

void check_positive(const std::vector<double>& lambda) {
  if (!std::all_of(lambda.begin(), lambda.end(), [](double value) { return value > 0.0; }))
    Archive::refuse("lambda", "numbers > 0");
}

// The maximiser of problem D at these factors.
template <class Real>
std::vector<Real> dual_at(const ProblemData<Real>& data, const std::vector<Matrix<Real>>& u, FitRun& run) {
  DualProblem<Real> dual(data, {.loosest = kStartResidual, .tightest = kStartResidual}, run.poll());
  typename DualProblem<Real>::State state;
  dual.evaluate(u, nullptr, state);
  return std::move(state.z);
}

template <class Real>
ProductManifold<Real> factors_and_dual(const ProblemData<Real>& data, const std::vector<int>& ranks) {
  std::vector<typename ProductManifold<Real>::Factor> factors;
  for (std::size_t p = 0; p < ranks.size(); ++p)
    factors.push_back(Spectrahedron<Real>(data.parts()[p].factor_rows(), ranks[p]));
  factors.push_back(Euclidean<Real>(data.entries(), 1.0, data.everyone()));
  return ProductManifold<Real>(std::move(factors), data.everyone());
}

}  // namespace

template <class Real>
Solution<Real> solve_primal(const std::shared_ptr<Layouts>& layouts, const FitPlan& plan,
                            const Settings& options, FitRun& run) {
  ProblemData<Real> data(layouts, plan.specs(), plan.lambda, plan.ranks);
  const LatentReport report(run, data.parts(), plan.ranks);
  const std::string z = std::to_string(plan.ranks.size());  // the last of a point's matrices
  run.share_state(layouts->tensor(), {"solver/x/" + z, "solver/direction/" + z, "solver/state/residual"});

  Solution<Real> solution;
  std::vector<Matrix<Real>> x =
      run.going_on() ? empty_factors(data, plan) : starting_factors(data, plan, options);
  std::vector<double> lambda;  // as balanced at the beginning
  bool spoiled = false;        // by an interruption: nothing to go on from
  const auto fields = [&](Archive& archive) { archive("lambda", lambda); };
  if (run.going_on()) {
    lambda.resize(plan.ranks.size());
    run.load(fields);
    check_positive(lambda);
    data.set_lambda(lambda);
    solution.z.resize(static_cast<std::size_t>(data.entries()));
  } else {
    solution.z = starting_dual<Real>(*layouts, options);
    if (solution.z.empty()) solution.z = dual_at(data, x, run);
    spoiled = run.stop_now();
    balance(data, solution.z);
    lambda = data.lambda();
    run.start_stage(1.0);
  }
  x.push_back(Eigen::Map<const Matrix<Real>>(solution.z.data(), data.entries(), 1));

  const ProductManifold<Real> manifold = factors_and_dual(data, plan.ranks);
  PrimalProblem<Real> problem(data);
  typename PrimalProblem<Real>::State state;
  Count applied = 0;  // before it went on
  StepKeeper keeper = run.keeper(
      fields, [&] { applied = run.progress().operator_applications - problem.operator_applications(); });
  if (spoiled) keeper.wanted = {};
  solution.summary = minimize(
      manifold, problem, x, state,
      {.optimizer = *options.latent.optimizer,
       .max_iterations = *options.max_iterations,
       .tolerance = *options.tolerance,
       .kept_residuals = kept_residuals(manifold.dimension())},
      run.poll(),
      [&](const IterationRecord& record, const std::vector<Matrix<Real>>& at, const auto& here) {
        return report.step<Real>(record,
                                 {.train_rmse = std::sqrt(here.cost / data.total_weight()),
                                  .operator_applications = applied + problem.operator_applications()},
                                 at, data.lambda(), flat(at.back()));
      },
      &keeper);
  solution.z.assign(x.back().data(), x.back().data() + x.back().size());
  x.pop_back();
  solution.u = std::move(x);
  solution.lambda = data.lambda();
  solution.set_mixture(data);
  tell_traffic<Real>(data.parts(), plan.ranks, run, problem.sent_sums());
  return solution;
}

template Solution<double> solve_primal(const std::shared_ptr<Layouts>&, const FitPlan&, const Settings&,
                                       FitRun&);
template Solution<float> solve_primal(const std::shared_ptr<Layouts>&, const FitPlan&, const Settings&,
                                      FitRun&);

}  // namespace lacuna
