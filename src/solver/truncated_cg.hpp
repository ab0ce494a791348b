// SPDX-License-Identifier: MIT
// Steihaug-Toint truncated conjugate gradients for the trust-region subproblem
//
//   min_eta  <g, eta> + 1/2 <eta, H eta>   subject to ||eta|| <= radius
//
// Stops at the boundary, on negative curvature, or when ||r|| <= ||r_0|| min(kappa, ||r_0||^theta) with norms
// taken relative to the gradient scale (theta = 1 makes the outer loop converge quadratically). The model's
// decrease at eta, which the ratio test needs, comes free: r = g + H eta. ||eta|| grows with every step, so
// where the path leaves a smaller ball is the answer for that ball. Reference: Absil, Baker, Gallivan 2007,
// algorithm 2; Conn, Gould, Toint 2000, section 7.5.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "solver/solver.hpp"

namespace lacuna {

struct TruncatedCgOptions {
  double kappa = 0.1;        // in (0, 1): linear accuracy asked of the subproblem far from a solution
  double theta = 1.0;        // >= 0: order of the superlinear rule near one
  int max_iterations = 100;  // >= 1 Hessian products
};

enum class SubproblemEnd {
  kAccurate,
  kBoundary,
  kNegativeCurvature,
  kModelIncreased,
  kMaxIterations,
  kStopped
};

struct SubproblemResult {
  SubproblemEnd end = SubproblemEnd::kMaxIterations;
  int iterations = 0;
  double decrease = 0.0;  // -(<g, eta> + 1/2 <eta, H eta>)
};

// The answer for a ball inside the one that was asked about.
template <class Tangent>
struct Crossing {
  double radius = 0.0;
  double decrease = 0.0;  // 0: the path did not get that far
  Tangent eta{};
};

// hess(direction, out) is the Riemannian Hessian. eta is the output; so are the decrease and eta of the
// crossings, whose radii ascend.
template <RiemannianManifold M, class Hess>
SubproblemResult truncated_cg(const M& manifold, const typename M::Point& x,
                              const typename M::Tangent& gradient, double gradient_scale, double radius,
                              Hess&& hess, const TruncatedCgOptions& options, const Interrupted& interrupted,
                              typename M::Tangent& eta,
                              std::span<Crossing<typename M::Tangent>> crossings = {}) {
  using Tangent = typename M::Tangent;
  manifold.zero(x, eta);
  Tangent residual = gradient;  // r = g + H eta
  double rr = manifold.inner(residual, residual);
  const double start = std::sqrt(rr);
  // Directions are of length about 1: H times the gradient grows with the fourth power of the data, which
  // soon leaves the range of single precision. A power of two rounds nothing.
  const double unit = std::isnormal(start) ? std::ldexp(1.0, -std::ilogb(start)) : 1.0;
  Tangent direction = gradient;
  manifold.scale(-unit, direction);  // delta = -unit r
  Tangent h_direction;
  manifold.zero(x, h_direction);

  const double target = start * std::min(options.kappa, std::pow(start / gradient_scale, options.theta));
  double eta_eta = 0.0;
  double eta_delta = 0.0;
  double delta_delta = unit * unit * rr;

  SubproblemResult result;
  // eta <- eta + step delta
  const auto advance = [&](double step) {
    manifold.axpy(step, direction, eta);
    manifold.axpy(step, h_direction, residual);
    return -0.5 * (manifold.inner(gradient, eta) + manifold.inner(residual, eta));
  };
  // The step with ||eta + step delta|| = length.
  const auto step_to = [&](double length) {
    const double root = std::sqrt(eta_delta * eta_delta + delta_delta * (length * length - eta_eta));
    return (root - eta_delta) / delta_delta;
  };
  std::size_t crossed = 0;
  // Crossings on the way along delta to this length; <r, delta> = -unit <r, r>. Returns the first of them.
  const auto cross = [&](double curvature, double length_squared) {
    const std::size_t first = crossed;
    for (; crossed < crossings.size(); ++crossed) {
      Crossing<Tangent>& at = crossings[crossed];
      if (at.radius * at.radius >= length_squared) break;
      const double step = step_to(at.radius);
      at.eta = eta;
      manifold.axpy(step, direction, at.eta);
      at.decrease = result.decrease + step * unit * rr - 0.5 * step * step * curvature;
    }
    return first;
  };

  while (result.iterations < options.max_iterations) {
    if (interrupted && interrupted()) {
      result.end = SubproblemEnd::kStopped;
      return result;
    }
    hess(direction, h_direction);
    ++result.iterations;
    const double curvature = manifold.inner(direction, h_direction);
    const double alpha = unit * rr / curvature;
    const double next_eta_eta = eta_eta + 2.0 * alpha * eta_delta + alpha * alpha * delta_delta;
    if (curvature <= 0.0 || next_eta_eta >= radius * radius) {
      cross(curvature, radius * radius);
      result.decrease = advance(step_to(radius));
      result.end = curvature <= 0.0 ? SubproblemEnd::kNegativeCurvature : SubproblemEnd::kBoundary;
      return result;
    }
    const std::size_t first_crossing = cross(curvature, next_eta_eta);
    const double decrease = advance(alpha);
    if (decrease <= result.decrease) {  // inexact Hessian products: the last step did not help, take it back
      manifold.axpy(-alpha, direction, eta);
      for (std::size_t c = first_crossing; c < crossed; ++c) crossings[c].decrease = 0.0;
      result.end = SubproblemEnd::kModelIncreased;
      return result;
    }
    result.decrease = decrease;
    eta_eta = next_eta_eta;
    const double next_rr = manifold.inner(residual, residual);
    if (std::sqrt(next_rr) <= target) {
      result.end = SubproblemEnd::kAccurate;
      return result;
    }
    const double beta = next_rr / rr;
    rr = next_rr;
    manifold.scale(beta, direction);
    manifold.axpy(-unit, residual, direction);  // delta = -unit r + beta delta
    eta_delta = beta * (eta_delta + alpha * delta_delta);
    delta_delta = unit * unit * rr + beta * beta * delta_delta;
  }
  return result;
}

}  // namespace lacuna
