// SPDX-License-Identifier: MIT
// TR-LS: problem P by trust region over (u, Z) together, from the dual's Z at the starting factors.
#include "method/latent/latent_run.hpp"
#include "method/latent/minimize.hpp"
#include "problem/dual_problem.hpp"
#include "problem/primal_problem.hpp"

namespace lacuna {
namespace {

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

}  // namespace

template <class Real>
Solution<Real> solve_primal(const std::shared_ptr<Layouts>& layouts, const FitPlan& plan,
                            const Settings& options, FitRun& run) {
  ProblemData<Real> data(layouts, plan.specs(), plan.lambda);
  const LatentReport report(run, data.parts());

  Solution<Real> solution;
  std::vector<Matrix<Real>> x = starting_factors(data, plan, options);
  solution.z = starting_dual<Real>(*layouts, options);
  if (solution.z.empty()) {
    DualProblem<Real> dual(data, {}, run.poll());
    typename DualProblem<Real>::State state;
    dual.evaluate(x, nullptr, state);
    solution.z = std::move(state.z);
  }
  balance(data, solution.z);
  x.push_back(Eigen::Map<const Matrix<Real>>(solution.z.data(), data.entries(), 1));

  std::vector<typename ProductManifold<Real>::Factor> factors;
  for (std::size_t p = 0; p < plan.ranks.size(); ++p)
    factors.push_back(Spectrahedron<Real>(data.parts()[p].factor_rows(), plan.ranks[p]));
  factors.push_back(Euclidean<Real>(data.entries(), 1.0, data.everyone()));
  const ProductManifold<Real> manifold(std::move(factors));

  PrimalProblem<Real> problem(data);
  typename PrimalProblem<Real>::State state;
  run.start_stage(1.0);
  solution.summary = minimize(
      manifold, problem, x, state,
      {.optimizer = *options.latent.optimizer,
       .max_iterations = *options.max_iterations,
       .tolerance = *options.tolerance},
      run.poll(), [&](const IterationRecord& record, const std::vector<Matrix<Real>>& at, const auto& here) {
        return report.step<Real>(record,
                                 {.train_rmse = std::sqrt(here.cost / data.total_weight()),
                                  .operator_applications = problem.operator_applications()},
                                 at, data.lambda(), flat(at.back()));
      });
  const std::span<const Real> z = flat(x.back());
  solution.z.assign(z.begin(), z.end());
  x.pop_back();
  solution.u = std::move(x);
  solution.lambda = data.lambda();
  solution.set_mixture(data);
  tell_traffic(data.parts(), run);
  return solution;
}

template Solution<double> solve_primal(const std::shared_ptr<Layouts>&, const FitPlan&, const Settings&,
                                       FitRun&);
template Solution<float> solve_primal(const std::shared_ptr<Layouts>&, const FitPlan&, const Settings&,
                                      FitRun&);

}  // namespace lacuna
