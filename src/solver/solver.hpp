// SPDX-License-Identifier: MIT
// What every solver shares: the objective it minimises, how it reports.
#pragma once

#include <concepts>
#include <functional>
#include <lacuna/base/base.hpp>
#include <lacuna/solver/stop_reason.hpp>

#include "base/accuracy.hpp"
#include "base/archive.hpp"
#include "manifold/manifold.hpp"

namespace lacuna {

// A smooth function on M. A State holds what was computed at one point; evaluate fills it, whatever it held
// before, and it is handed back to every later call about that point.
//
// Two things are optional. An objective that is computed by inner solves takes an Accuracy as the last
// argument of evaluate and hessian. One that can tell how far to go along a direction has step_length(x,
// state, u) -> double.
template <class O, class M>
concept FirstOrderObjective = requires(O& o, const typename M::Point& x, const typename O::State* near,
                                       typename O::State& state, typename M::Tangent& v) {
  o.evaluate(x, near, state);  // near: the state of a point close by, or null
  { o.cost(state) } -> std::convertible_to<double>;
  { o.uncertainty(state) } -> std::convertible_to<double>;     // bound on the error of cost(state), estimated
  { o.gradient_scale(state) } -> std::convertible_to<double>;  // what makes a gradient norm dimensionless
  o.gradient(x, state, v);                                     // v <- Euclidean gradient
};

template <class O, class M>
concept Objective = FirstOrderObjective<O, M> &&
    requires(O& o, const typename M::Point& x, typename O::State& state, const typename M::Tangent& u,
             typename M::Tangent& v) {
  o.hessian(x, state, u, v);  // v <- the derivative of the Euclidean gradient along u
};

// evaluate and hessian at this accuracy, where the objective takes one.
template <class O, class Point>
void evaluate_to(Accuracy accuracy, O& o, const Point& x, const typename O::State* near,
                 typename O::State& state) {
  if constexpr (requires { o.evaluate(x, near, state, accuracy); })
    o.evaluate(x, near, state, accuracy);
  else
    o.evaluate(x, near, state);
}
template <class O, class Point, class Tangent>
void hessian_to(Accuracy accuracy, O& o, const Point& x, const typename O::State& state, const Tangent& u,
                Tangent& v) {
  if constexpr (requires { o.hessian(x, state, u, v, accuracy); })
    o.hessian(x, state, u, v, accuracy);
  else
    o.hessian(x, state, u, v);
}

// What a solver reports after each step. Iteration 0 is the starting point.
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

  template <class A>
  void fields(A& archive) {
    archive("iteration", iteration);
    archive("objective", objective);
    archive("gradient_norm", gradient_norm);
    archive("relative_gradient", relative_gradient);
    archive("step", step);
    archive("radius", radius);
    archive("ratio", ratio);
    archive("inner_iterations", inner_iterations);
    archive("accepted", accepted);
  }
};

// Where a solver leaves what it needs to go on behind the step that it reported last, and finds it again. A
// solver that is stopped within a step leaves what it had before.
struct StepKeeper {
  using Fields = std::function<void(Archive&)>;

  std::function<bool()> wanted;              // asked after every step, and before the solver ends
  std::function<void(const Fields&)> keep;   // takes the solver's members down
  std::function<void(const Fields&)> go_on;  // gives them back; empty: begin at the point given
  std::function<void()> gone_on;             // called when all is as it was behind that step
};

// A state that can be kept. The objective's adopt(state), where it has one, makes the state one of a new
// point, of the size it must have, before its members are given back.
template <class O>
void take_state(O& o, Archive& archive, typename O::State& state) {
  if constexpr (requires { o.adopt(state); })
    if (archive.loading()) o.adopt(state);
  if constexpr (HasFields<typename O::State>) archive("state", state);
}

// What the first evaluation begins with, where the objective has such a thing.
template <class O>
void take_start(O& o, Archive& archive) {
  if constexpr (requires { o.start_fields(archive); })
    archive.within("start", [&] { o.start_fields(archive); });
}

struct Summary {
  StopReason reason = StopReason::kMaxIterations;
  int iterations = 0;
  double objective = 0.0;
  double gradient_norm = 0.0;
  double relative_gradient = 0.0;

  template <class A>
  void fields(A& archive) {
    archive("reason", reason);
    archive("iterations", iterations);
    archive("objective", objective);
    archive("gradient_norm", gradient_norm);
    archive("relative_gradient", relative_gradient);
  }
};

// 0 / 0 counts as 0: where the gradient vanishes the point is stationary, whatever the scale.
[[nodiscard]] inline double relative_gradient_norm(double gradient_norm, double gradient_scale) {
  return gradient_norm == 0.0 ? 0.0 : gradient_norm / gradient_scale;
}

// What is reported of a point of this state and this gradient.
template <class O>
void measure_point(const O& o, const typename O::State& state, double gradient_norm,
                   IterationRecord& record) {
  record.objective = o.cost(state);
  record.gradient_norm = gradient_norm;
  record.relative_gradient = relative_gradient_norm(gradient_norm, o.gradient_scale(state));
}

[[nodiscard]] inline Summary summarize(const IterationRecord& last, StopReason reason) {
  return {.reason = reason,
          .iterations = last.iteration,
          .objective = last.objective,
          .gradient_norm = last.gradient_norm,
          .relative_gradient = last.relative_gradient};
}

}  // namespace lacuna
