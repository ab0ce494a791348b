// SPDX-License-Identifier: MIT
// Riemannian nonlinear conjugate gradients: first-order steps, for problems whose Hessian products cost too
// much.
//
//   d = -g;  x <- R_x(t d) with t from a backtracking (Armijo) line search
//   beta = max(0, <g_new, g_new - T g> / <T d, g_new - T g>)   Hestenes-Stiefel+
//   beta = max(0, <g_new, g_new - T g> / <g, g>)               Polak-Ribiere+
//   d <- -g_new + beta T d, restarted when it is no descent direction
//
// T is the manifold's transport, a projection on the new tangent space. The first trial step is the
// objective's step_length() if it has one, else it follows the last decrease: t = 2 (f - f_before) / <g, d>
// (Nocedal & Wright 2006, (3.60)). Reference: Absil, Mahony, Sepulchre 2008, section 8.3.
#pragma once

#include <algorithm>
#include <cmath>
#include <utility>

#include "solver/solver.hpp"

namespace lacuna {

enum class ConjugateRule { kHestenesStiefel, kPolakRibiere };

struct NonlinearCgOptions {
  ConjugateRule rule = ConjugateRule::kHestenesStiefel;
  int max_iterations = 500;           // >= 0
  double gradient_tolerance = 1e-6;   // >= 0, on gradient norm / gradient scale
  double sufficient_decrease = 1e-4;  // in (0, 1)
  double contraction = 0.5;           // in (0, 1)
  int max_backtracks = 30;            // >= 1
  double initial_step = 0.25;         // > 0, in units of the manifold's typical distance
};

template <FirstOrderManifold M, class O, class Observe>
requires FirstOrderObjective<O, M> Summary nonlinear_cg(const M& manifold, O& objective, typename M::Point& x,
                                                        typename O::State& state,
                                                        const NonlinearCgOptions& options,
                                                        const Interrupted& interrupted, Observe&& observe) {
  using Tangent = typename M::Tangent;
  using State = typename O::State;

  objective.evaluate(x, nullptr, state);
  typename M::Frame frame;
  Tangent gradient;
  IterationRecord record;

  const auto inner = [&](const Tangent& a, const Tangent& b) { return inner_at(manifold, x, frame, a, b); };
  const auto refresh = [&] {
    manifold.frame(x, frame);
    manifold.zero(x, gradient);
    objective.gradient(x, state, gradient);
    to_gradient(manifold, x, frame, gradient);
    record.objective = objective.cost(state);
    record.gradient_norm = std::sqrt(inner(gradient, gradient));
    record.relative_gradient = relative_gradient_norm(record.gradient_norm, objective.gradient_scale(state));
  };
  const auto finish = [&](StopReason reason) {
    return Summary{.reason = reason,
                   .iterations = record.iteration,
                   .objective = record.objective,
                   .gradient_norm = record.gradient_norm,
                   .relative_gradient = record.relative_gradient};
  };

  refresh();
  if (observe(std::as_const(record), std::as_const(x), std::as_const(state)) == Flow::kStop)
    return finish(StopReason::kStopped);

  Tangent direction = gradient;
  manifold.scale(-1.0, direction);
  double step_length = options.initial_step * manifold.typical_distance();
  Tangent step;
  typename M::Point candidate;
  for (;;) {
    if (record.relative_gradient <= options.gradient_tolerance) return finish(StopReason::kGradientTolerance);
    if (record.iteration >= options.max_iterations) return finish(StopReason::kMaxIterations);

    double slope = inner(gradient, direction);
    if (!(slope < 0.0)) {  // restart
      direction = gradient;
      manifold.scale(-1.0, direction);
      slope = -record.gradient_norm * record.gradient_norm;
    }
    // Armijo: f(R_x(t d)) <= f(x) + c t slope
    const double cost = objective.cost(state);
    double t = step_length / std::sqrt(inner(direction, direction));
    if constexpr (requires { objective.step_length(x, state, direction); }) {
      const double wanted = objective.step_length(x, state, direction);
      if (wanted > 0.0 && std::isfinite(wanted)) t = wanted;
    }
    State candidate_state;
    int evaluations = 0;
    bool decreased = false;
    for (; evaluations < options.max_backtracks && !decreased; t *= decreased ? 1.0 : options.contraction) {
      step = direction;
      manifold.scale(t, step);
      manifold.retract(x, step, candidate);
      candidate_state = State{};
      objective.evaluate(candidate, &state, candidate_state);
      if (interrupted && interrupted()) return finish(StopReason::kStopped);
      ++evaluations;
      // Strictly less: once t slope is lost in rounding the sum alone would accept steps that lead nowhere,
      // forever.
      const double candidate_cost = objective.cost(candidate_state);
      decreased = candidate_cost < cost && candidate_cost <= cost + options.sufficient_decrease * t * slope;
    }
    if (!decreased) return finish(StopReason::kNoFurtherDecrease);

    Tangent change = gradient;
    const double old_square = record.gradient_norm * record.gradient_norm;
    const double decrease = cost - objective.cost(candidate_state);
    record.step = std::sqrt(inner(step, step));
    std::swap(x, candidate);  // candidate is the old point now
    state = std::move(candidate_state);
    refresh();

    // Transport the old direction and gradient, then beta and the new direction.
    transport(manifold, candidate, x, frame, direction);
    transport(manifold, candidate, x, frame, change);
    manifold.scale(-1.0, change);
    manifold.axpy(1.0, gradient, change);
    const double denominator =
        options.rule == ConjugateRule::kPolakRibiere ? old_square : inner(direction, change);
    const double beta = denominator != 0.0 ? std::max(0.0, inner(gradient, change) / denominator) : 0.0;
    manifold.scale(beta, direction);
    manifold.axpy(-1.0, gradient, direction);

    record.inner_iterations = evaluations;
    ++record.iteration;
    const double next_slope = inner(gradient, direction);
    const double next_length = std::sqrt(inner(direction, direction));
    step_length = next_slope < 0.0 ? std::clamp(-2.0 * decrease / next_slope * next_length, 0.1 * record.step,
                                                10.0 * record.step)
                                   : record.step;
    if (observe(std::as_const(record), std::as_const(x), std::as_const(state)) == Flow::kStop)
      return finish(StopReason::kStopped);
  }
}

// For callers who do not want the last state.
template <FirstOrderManifold M, class O, class Observe>
requires FirstOrderObjective<O, M> Summary nonlinear_cg(const M& manifold, O& objective, typename M::Point& x,
                                                        const NonlinearCgOptions& options,
                                                        const Interrupted& interrupted, Observe&& observe) {
  typename O::State state;
  return nonlinear_cg(manifold, objective, x, state, options, interrupted, std::forward<Observe>(observe));
}

}  // namespace lacuna
