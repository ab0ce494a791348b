// SPDX-License-Identifier: MIT
// The laws every objective must obey at a point: derivatives of the right order, a symmetric and linear
// Hessian.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "solver/solver.hpp"
#include "support/manifold_laws.hpp"
#include "support/taylor.hpp"

namespace lacuna::test {

struct ObjectiveTolerances {
  double slope = 0.1;
  TaylorOptions gradient_steps{.largest = 1e-3,
                               .steps = 5};                  // short enough for the leading term to lead, and
  TaylorOptions hessian_steps{.largest = 1e-2, .steps = 5};  // long enough for it to rise above rounding
  double floor = 1e-14;  // errors below this share of the cost are rounding: ten times what differences lose
  double identity = 1e-9;    // symmetry and linearity, relative to the products: inner solves are to 1e-12
  double difference = 1e-6;  // central differences with the step below: its square, and rounding over it
  double difference_step = 1e-4;
};

// Value and derivatives of an objective at one point.
template <RiemannianManifold M, class O>
requires Objective<O, M>
class PointOf {
 public:
  using Tangent = typename M::Tangent;

  PointOf(const M& manifold, O& objective, const typename M::Point& x)
      : manifold_(&manifold), objective_(&objective), x_(x) {
    objective.evaluate(x_, nullptr, state_);
    manifold.zero(x_, euclidean_gradient_);
    objective.gradient(x_, state_, euclidean_gradient_);
    manifold.frame(x_, frame_);
  }

  PointOf(const M&& manifold, O& objective, const typename M::Point& x) = delete;  // it must outlive this

  [[nodiscard]] double cost() const { return objective_->cost(state_); }
  [[nodiscard]] const Tangent& euclidean_gradient() const { return euclidean_gradient_; }
  [[nodiscard]] Tangent gradient() const {
    Tangent gradient = euclidean_gradient_;
    manifold_->project(x_, frame_, gradient);
    return gradient;
  }
  [[nodiscard]] Tangent euclidean_hessian(const Tangent& direction) const {
    Tangent out;
    manifold_->zero(x_, out);
    objective_->hessian(x_, state_, direction, out);
    return out;
  }
  [[nodiscard]] Tangent hessian(const Tangent& direction) const {
    Tangent out = euclidean_hessian(direction);
    manifold_->riemannian_hessian(x_, frame_, euclidean_gradient_, direction, out);
    return out;
  }
  // f(R_x(t direction))
  [[nodiscard]] double cost_along(const Tangent& direction, double t) const {
    Tangent step = direction;
    manifold_->scale(t, step);
    typename M::Point y;
    manifold_->retract(x_, step, y);
    typename O::State state;
    objective_->evaluate(y, nullptr, state);
    return objective_->cost(state);
  }

 private:
  const M* manifold_;
  O* objective_;
  typename M::Point x_;
  typename O::State state_;
  typename M::Frame frame_;
  Tangent euclidean_gradient_;
};

// The slope of sum_u |f(R_x(t u)) - Taylor polynomial of the given degree| over t, where u runs over a few
// random directions: along one alone the leading error may happen to be small.
template <RiemannianManifold M, class O>
[[nodiscard]] double objective_slope(const M& manifold, O& objective, const typename M::Point& x, int degree,
                                     Rng& rng, TaylorOptions steps, double floor) {
  constexpr int kDirections = 4;
  const PointOf<M, O> at(manifold, objective, x);
  std::vector<typename M::Tangent> directions;
  std::vector<double> first;   // <grad f, u>
  std::vector<double> second;  // <u, Hess f u>
  for (int d = 0; d < kDirections; ++d) {
    directions.push_back(random_tangent(manifold, x, rng));
    first.push_back(manifold.inner(at.gradient(), directions[d]));
    second.push_back(degree < 2 ? 0.0 : manifold.inner(directions[d], at.hessian(directions[d])));
  }
  steps.floor = floor * std::abs(at.cost());
  return taylor_slope(
      [&](double t) {
        double error = 0.0;
        for (int d = 0; d < kDirections; ++d)
          error +=
              std::abs(at.cost_along(directions[d], t) - at.cost() - t * first[d] - 0.5 * t * t * second[d]);
        return error;
      },
      steps);
}

// f(R_x(t u)) = f + t <grad f, u> + O(t^2)
template <RiemannianManifold M, class O>
void check_gradient_slope(const M& manifold, O& objective, const typename M::Point& x, Rng& rng,
                          const ObjectiveTolerances& tolerances = {}) {
  EXPECT_NEAR(objective_slope(manifold, objective, x, 1, rng, tolerances.gradient_steps, tolerances.floor),
              2.0, tolerances.slope)
      << "gradient";
}

// f(R_x(t u)) = f + t <grad f, u> + t^2/2 <u, Hess f u> + O(t^3): the retraction is of second order.
template <RiemannianManifold M, class O>
void check_hessian_slope(const M& manifold, O& objective, const typename M::Point& x, Rng& rng,
                         const ObjectiveTolerances& tolerances = {}) {
  EXPECT_NEAR(objective_slope(manifold, objective, x, 2, rng, tolerances.hessian_steps, tolerances.floor),
              3.0, tolerances.slope)
      << "Hessian";
}

template <RiemannianManifold M, class O>
void check_hessian_algebra(const M& manifold, O& objective, const typename M::Point& x, Rng& rng,
                           const ObjectiveTolerances& tolerances = {}) {
  const PointOf<M, O> at(manifold, objective, x);
  const typename M::Tangent a = random_tangent(manifold, x, rng);
  const typename M::Tangent b = random_tangent(manifold, x, rng);
  const typename M::Tangent h_a = at.hessian(a);
  const typename M::Tangent h_b = at.hessian(b);
  const double size = norm(manifold, h_a) + norm(manifold, h_b);
  EXPECT_NEAR(manifold.inner(a, h_b), manifold.inner(h_a, b), tolerances.identity * size) << "not symmetric";
  EXPECT_NEAR(distance(manifold, projected(manifold, x, h_a), h_a), 0.0, tolerances.identity * size)
      << "not tangent";
  typename M::Tangent combined = a;
  manifold.axpy(-2.0, b, combined);
  typename M::Tangent expected = h_a;
  manifold.axpy(-2.0, h_b, expected);
  EXPECT_NEAR(distance(manifold, at.hessian(combined), expected), 0.0, tolerances.identity * size)
      << "not linear";
}

// The Euclidean Hessian product against central differences of the Euclidean gradient. The objective must
// make sense a little off the manifold, as ours do.
template <RiemannianManifold M, class O>
void check_hessian_differences(const M& manifold, O& objective, const typename M::Point& x, Rng& rng,
                               const ObjectiveTolerances& tolerances = {}) {
  const PointOf<M, O> at(manifold, objective, x);
  const typename M::Tangent direction = random_tangent(manifold, x, rng);
  const double h = tolerances.difference_step;
  typename M::Point ahead = x;
  typename M::Point behind = x;
  manifold.axpy(h, direction, ahead);
  manifold.axpy(-h, direction, behind);
  typename M::Tangent difference = PointOf<M, O>(manifold, objective, ahead).euclidean_gradient();
  manifold.axpy(-1.0, PointOf<M, O>(manifold, objective, behind).euclidean_gradient(), difference);
  manifold.scale(1 / (2 * h), difference);
  const typename M::Tangent product = at.euclidean_hessian(direction);
  EXPECT_LT(distance(manifold, difference, product), tolerances.difference * norm(manifold, product));
}

template <RiemannianManifold M, class O>
void check_objective_laws(const M& manifold, O& objective, const typename M::Point& x, Rng& rng,
                          const ObjectiveTolerances& tolerances = {}) {
  check_gradient_slope(manifold, objective, x, rng, tolerances);
  check_hessian_slope(manifold, objective, x, rng, tolerances);
  check_hessian_algebra(manifold, objective, x, rng, tolerances);
  check_hessian_differences(manifold, objective, x, rng, tolerances);
}

}  // namespace lacuna::test
