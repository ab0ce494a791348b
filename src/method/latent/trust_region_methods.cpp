// SPDX-License-Identifier: MIT
// TR-MM and TR-LS: from options to a plan, from a solution to a model's parts.
#include "method/latent/latent_run.hpp"
#include "method/solve.hpp"

namespace lacuna {
namespace {

template <class Real>
Solved solve_in(ObservedTensor& tensor, const std::shared_ptr<Layouts>& layouts, const FitPlan& plan,
                const Settings& options, FitRun& run) {
  Solution<Real> solution = *options.method == Method::kTrMm
                                ? solve_dual<Real>(layouts, plan, options, run)
                                : solve_primal<Real>(layouts, plan, options, run);
  Latent latent;
  if constexpr (std::is_same_v<Real, double>) {
    tensor.replace_values(std::move(solution.z));
  } else {
    tensor.replace_values({solution.z.begin(), solution.z.end()});
  }
  latent.dual = std::move(tensor);
  for (std::size_t p = 0; p < plan.parts.size(); ++p)
    latent.parts.push_back({.modes = plan.parts[p].spec,
                            .lambda = solution.lambda[p],
                            .factor = solution.u[p].template cast<double>()});
  return {.body = std::move(latent),
          .summary = solution.summary,
          .mixture = std::move(solution.mixture),
          .certificate = std::move(solution.certificate)};
}

}  // namespace

Solved solve_trust_region(ObservedTensor& tensor, const Settings& options, FitRun& run) {
  const auto layouts = std::make_shared<Layouts>(tensor, run.everyone());
  const FitPlan plan = make_plan(*layouts, options, run);
  run.record().parts = describe(plan.parts, tensor.modes());
  run.record().ranks = plan.ranks;
  run.record().lambdas = plan.lambda;
  run.record().set("path", plan.path);
  return *options.latent.precision == Precision::kDouble
             ? solve_in<double>(tensor, layouts, plan, options, run)
             : solve_in<float>(tensor, layouts, plan, options, run);
}

}  // namespace lacuna
