// SPDX-License-Identifier: MIT
// Runs the optimiser that the options name.
#pragma once

#include <lacuna/method/fit_once.hpp>

#include "solver/nonlinear_cg.hpp"
#include "solver/trust_region.hpp"

namespace lacuna {

struct MinimizeOptions {
  Optimizer optimizer = Optimizer::kTrustRegion;
  int max_iterations = 100;
  double tolerance = 1e-5;
  int kept_residuals = 0;  // of a subproblem of the trust region
};

template <class M, class O, class Observe>
Summary minimize(const M& manifold, O& objective, typename M::Point& x, typename O::State& state,
                 const MinimizeOptions& options, const Interrupted& interrupted, Observe&& observe,
                 const StepKeeper* keeper = nullptr) {
  if (options.optimizer == Optimizer::kNonlinearCg)
    return nonlinear_cg(manifold, objective, x, state,
                        {.max_iterations = options.max_iterations, .gradient_tolerance = options.tolerance},
                        interrupted, std::forward<Observe>(observe), keeper);
  return trust_region(manifold, objective, x, state,
                      {.max_iterations = options.max_iterations,
                       .gradient_tolerance = options.tolerance,
                       .subproblem = {.kept_residuals = options.kept_residuals}},
                      interrupted, std::forward<Observe>(observe), keeper);
}

}  // namespace lacuna
