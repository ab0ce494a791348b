// SPDX-License-Identifier: MIT
// Riemannian trust region: min_x f(x) over a manifold, by second-order steps inside a ball whose radius
// follows how well the quadratic model has predicted the decrease.
//
//   g = grad f(x);  eta ~ argmin <g, eta> + 1/2 <eta, H eta>, ||eta|| <= radius   (truncated CG)
//   ratio = (f(x) - f(R_x(eta)) + slack) / (model decrease + slack)
//   accept if ratio > acceptance; shrink the radius below 1/4, widen it above 3/4 at the boundary
//
// The slack keeps the ratio near 1 when both decreases drown in rounding or in the error of an inexact cost
// (Conn, Gould, Toint 2000, section 17.4.2). Reference: Absil, Mahony, Sepulchre 2008, chapter 7.
#pragma once

#include <cmath>
#include <lacuna/solver/truncated_cg.hpp>
#include <limits>
#include <utility>
#include <vector>

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
constexpr std::size_t kRemembered = 2;     // Hessian products of a point, for when its step is rejected
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
  std::vector<Tangent> products;  // the first Hessian products at x
  for (;;) {
    if (record.relative_gradient <= options.gradient_tolerance) return finish(StopReason::kGradientTolerance);
    if (radius < detail::kSmallestRadius * unit) return finish(StopReason::kNoFurtherDecrease);
    if (record.iteration >= options.max_iterations) return finish(StopReason::kMaxIterations);

    // After a rejected step the subproblem begins with the same directions.
    auto hess = [&, count = std::size_t{0}](const Tangent& direction, Tangent& out) mutable {
      if (count < products.size()) {
        out = products[count++];
        return;
      }
      manifold.zero(x, out);
      objective.hessian(x, state, direction, out);
      manifold.riemannian_hessian(x, frame, euclidean_gradient, direction, out);
      if (count++ < detail::kRemembered) products.push_back(out);
    };
    const SubproblemResult subproblem = truncated_cg(manifold, x, gradient, objective.gradient_scale(state),
                                                     radius, hess, options.subproblem, interrupted, eta);
    if (subproblem.end == SubproblemEnd::kStopped) return finish(StopReason::kStopped);

    typename M::Point candidate;  // not held while the subproblem needs the memory
    State candidate_state;
    manifold.retract(x, eta, candidate);
    objective.evaluate(candidate, &state, candidate_state);
    if (stop_asked()) return finish(StopReason::kStopped);

    const double cost = objective.cost(state);
    const double slack =
        detail::kRoundingSlack * std::numeric_limits<double>::epsilon() * std::abs(cost) +
        detail::kUncertaintySlack * (objective.uncertainty(state) + objective.uncertainty(candidate_state));
    const double actual = cost - objective.cost(candidate_state);
    const double ratio = (actual + slack) / (subproblem.decrease + slack);
    const double step = std::sqrt(manifold.inner(eta, eta));
    const bool at_boundary =
        subproblem.end == SubproblemEnd::kBoundary || subproblem.end == SubproblemEnd::kNegativeCurvature;

    if (!(ratio >= 0.25) || subproblem.decrease < 0.0) {
      radius = std::min(radius, step) / 4;
    } else if (ratio > 0.75 && at_boundary) {
      radius = std::min(2 * radius, options.max_radius * unit);
    }
    record.accepted = subproblem.decrease >= 0.0 && ratio > options.acceptance;
    if (record.accepted) {
      std::swap(x, candidate);
      products.clear();
      state = std::move(candidate_state);
      refresh();
    }
    ++record.iteration;
    record.step = step;
    record.radius = radius;
    record.ratio = ratio;
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
