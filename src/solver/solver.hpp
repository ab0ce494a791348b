// SPDX-License-Identifier: MIT
// What every solver shares: the objective it minimises, how it reports.
#pragma once

#include <concepts>
#include <lacuna/base/interrupted.hpp>
#include <lacuna/solver/stop_reason.hpp>

#include "manifold/manifold.hpp"

namespace lacuna {

// A smooth function on M. A State holds what was computed at one point; it is made by evaluate and handed
// back to every later call about that point. One that knows how far to go along a direction, if its model of
// the function were exact, may say so: step_length(x, state, u) -> double.
template <class O, class M>
concept FirstOrderObjective = requires(O& o, const typename M::Point& x, const typename O::State* near,
                                       typename O::State& state, typename M::Tangent& v) {
  o.evaluate(x, near, state);  // near: the state of a point close by, or null
  { o.cost(state) } -> std::convertible_to<double>;
  { o.uncertainty(state) } -> std::convertible_to<double>;     // how wrong cost(state) may be
  { o.gradient_scale(state) } -> std::convertible_to<double>;  // what makes a gradient norm dimensionless
  o.gradient(x, state, v);                                     // v <- Euclidean gradient
};

template <class O, class M>
concept Objective = FirstOrderObjective<O, M> &&
    requires(O& o, const typename M::Point& x, typename O::State& state, const typename M::Tangent& u,
             typename M::Tangent& v) {
  o.hessian(x, state, u, v);  // v <- the derivative of the Euclidean gradient along u
};

// One line of a solver's story. Iteration 0 is the starting point.
struct IterationRecord {
  int iteration = 0;
  double objective = 0.0;
  double gradient_norm = 0.0;      // Riemannian
  double relative_gradient = 0.0;  // gradient_norm / gradient_scale: what the tolerance is compared with
  double step = 0.0;               // length of the step taken
  double radius = 0.0;             // trust region only
  double ratio = 0.0;              // trust region only: actual over predicted decrease
  int inner_iterations = 0;        // Hessian products, or function evaluations of a line search
  bool accepted = true;
};

struct Summary {
  StopReason reason = StopReason::kMaxIterations;
  int iterations = 0;
  double objective = 0.0;
  double gradient_norm = 0.0;
  double relative_gradient = 0.0;
};

// 0 / 0 is 0 here: where the gradient vanishes nothing is left to gain, whatever the scale.
[[nodiscard]] inline double relative_gradient_norm(double gradient_norm, double gradient_scale) {
  return gradient_norm == 0.0 ? 0.0 : gradient_norm / gradient_scale;
}

}  // namespace lacuna
