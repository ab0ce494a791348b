// SPDX-License-Identifier: MIT
// Riemannian trust region: min_x f(x) over a manifold, by second-order steps inside a ball whose radius
// follows how well the quadratic model has predicted the decrease.
//
//   g = grad f(x);  eta ~ argmin <g, eta> + 1/2 <eta, H eta>, ||eta|| <= radius   (truncated CG)
//   ratio = (f(x) - f(R_x(eta)) + slack) / (model decrease + slack)
//   accept if ratio > acceptance; shrink the radius below 1/4, widen it above 3/4 at the boundary
//
// The path to a rejected step passed through the answers for smaller balls (see truncated_cg.hpp). These are
// tried before the iteration ends, without a Hessian product.
//
// The slack keeps the ratio near 1 when both decreases drown in rounding or in the error of an inexact cost
// (Conn, Gould, Toint 2000, section 17.4.2). Reference: Absil, Mahony, Sepulchre 2008, chapter 7.
#pragma once

#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "solver/truncated_cg.hpp"

namespace lacuna {

struct TrustRegionOptions {
  int max_iterations = 200;          // >= 0
  double gradient_tolerance = 1e-6;  // >= 0, on gradient norm / gradient scale
  double initial_radius = 0.25;      // > 0, in units of the manifold's typical distance
  double max_radius = 1.0;           // > 0, likewise
  double acceptance = 0.1;           // in [0, 1/4)
  TruncatedCgOptions subproblem{};
};

namespace trust_region_detail {
constexpr double kRoundingSlack = 1e3;     // times machine epsilon times |f|
constexpr double kUncertaintySlack = 2.0;  // times the costs' own uncertainty
constexpr double kSmallestRadius = 1e-10;  // in units of the typical distance: nothing left to gain
constexpr double kShrink = 0.25;           // of the radius
constexpr double kClearlySmaller = 0.5;    // than a rejected step, what is worth trying instead
constexpr std::size_t kSmallerBalls = 2;   // whose answers are remembered in case of a rejection

// Of 1/16 and 1/4 of the radius.
template <class Tangent>
std::vector<Crossing<Tangent>> smaller_balls(double radius) {
  std::vector<Crossing<Tangent>> balls(kSmallerBalls);
  for (auto ball = balls.rbegin(); ball != balls.rend(); ++ball) ball->radius = radius *= kShrink;
  return balls;
}
}  // namespace trust_region_detail

// Minimises from x, which ends as the best point found, with its state in `state`. observe(record, x, state)
// is called at the start and after every step, and may stop the solver.
template <RiemannianManifold M, class O, class Observe>
requires Objective<O, M> Summary trust_region(const M& manifold, O& objective, typename M::Point& x,
                                              typename O::State& state, const TrustRegionOptions& options,
                                              const Interrupted& interrupted, Observe&& observe) {
  namespace detail = trust_region_detail;
  using Tangent = typename M::Tangent;
  using State = typename O::State;

  const double unit = manifold.typical_distance();
  double radius = options.initial_radius * unit;

  objective.evaluate(x, nullptr, state);
  typename M::Frame frame;
  Tangent euclidean_gradient;
  Tangent gradient;
  IterationRecord record;
  Summary summary;

  const auto refresh = [&] {  // everything that belongs to the point x
    manifold.frame(x, frame);
    manifold.zero(x, euclidean_gradient);
    objective.gradient(x, state, euclidean_gradient);
    gradient = euclidean_gradient;
    manifold.project(x, frame, gradient);
    record.objective = objective.cost(state);
    record.gradient_norm = std::sqrt(manifold.inner(gradient, gradient));
    record.relative_gradient = relative_gradient_norm(record.gradient_norm, objective.gradient_scale(state));
  };
  const auto finish = [&](StopReason reason) {
    summary.reason = reason;
    summary.iterations = record.iteration;
    summary.objective = record.objective;
    summary.gradient_norm = record.gradient_norm;
    summary.relative_gradient = record.relative_gradient;
    return summary;
  };
  const auto stop_asked = [&] { return interrupted && interrupted(); };

  refresh();
  record.radius = radius;
  if (observe(std::as_const(record), std::as_const(x), std::as_const(state)) == Flow::kStop)
    return finish(StopReason::kStopped);

  Tangent eta;
  for (;;) {
    if (record.relative_gradient <= options.gradient_tolerance) return finish(StopReason::kGradientTolerance);
    if (radius < detail::kSmallestRadius * unit) return finish(StopReason::kNoFurtherDecrease);
    if (record.iteration >= options.max_iterations) return finish(StopReason::kMaxIterations);

    const auto hess = [&](const Tangent& direction, Tangent& out) {
      manifold.zero(x, out);
      objective.hessian(x, state, direction, out);
      manifold.riemannian_hessian(x, frame, euclidean_gradient, direction, out);
    };
    auto smaller = detail::smaller_balls<Tangent>(radius);
    SubproblemResult subproblem = truncated_cg(manifold, x, gradient, objective.gradient_scale(state), radius,
                                               hess, options.subproblem, interrupted, eta, smaller);
    if (subproblem.end == SubproblemEnd::kStopped) return finish(StopReason::kStopped);

    for (;;) {  // back along the subproblem's path while steps are rejected
      typename M::Point candidate;
      State candidate_state;
      manifold.retract(x, eta, candidate);
      objective.evaluate(candidate, &state, candidate_state);
      if (stop_asked()) return finish(StopReason::kStopped);

      const double cost = objective.cost(state);
      const double slack =
          detail::kRoundingSlack * std::numeric_limits<double>::epsilon() * std::abs(cost) +
          detail::kUncertaintySlack * (objective.uncertainty(state) + objective.uncertainty(candidate_state));
      const double actual = cost - objective.cost(candidate_state);
      record.ratio = (actual + slack) / (subproblem.decrease + slack);
      record.step = std::sqrt(manifold.inner(eta, eta));
      const bool at_boundary =
          subproblem.end == SubproblemEnd::kBoundary || subproblem.end == SubproblemEnd::kNegativeCurvature;

      if (!(record.ratio >= 0.25) || subproblem.decrease < 0.0) {
        radius = detail::kShrink * std::min(radius, record.step);
      } else if (record.ratio > 0.75 && at_boundary) {
        radius = std::min(2 * radius, options.max_radius * unit);
      }
      record.accepted = subproblem.decrease >= 0.0 && record.ratio > options.acceptance;
      if (record.accepted) {
        std::swap(x, candidate);
        state = std::move(candidate_state);
        refresh();
        break;
      }
      while (!smaller.empty() && !(smaller.back().decrease > 0.0 &&
                                   smaller.back().radius <= detail::kClearlySmaller * record.step))
        smaller.pop_back();
      if (smaller.empty()) break;
      radius = smaller.back().radius;
      eta = std::move(smaller.back().eta);
      subproblem.decrease = smaller.back().decrease;
      subproblem.end = SubproblemEnd::kBoundary;
      smaller.pop_back();
    }
    ++record.iteration;
    record.radius = radius;
    record.inner_iterations = subproblem.iterations;
    if (observe(std::as_const(record), std::as_const(x), std::as_const(state)) == Flow::kStop)
      return finish(StopReason::kStopped);
  }
}

// For callers who do not want the last state.
template <RiemannianManifold M, class O, class Observe>
requires Objective<O, M> Summary trust_region(const M& manifold, O& objective, typename M::Point& x,
                                              const TrustRegionOptions& options,
                                              const Interrupted& interrupted, Observe&& observe) {
  typename O::State state;
  return trust_region(manifold, objective, x, state, options, interrupted, std::forward<Observe>(observe));
}

}  // namespace lacuna
