// SPDX-License-Identifier: MIT
// Steihaug-Toint truncated conjugate gradients for the trust-region subproblem
//
//   min_eta  <g, eta> + 1/2 <eta, H eta>   subject to ||eta|| <= radius
//
// Stops at the boundary, on negative curvature, or when ||r|| <= ||r_0|| min(kappa, ||r_0||^theta) with norms
// taken relative to the gradient scale (theta = 1 makes the outer loop converge quadratically). Hands back
// eta and H eta: the ratio test needs both, and H eta comes free from the recurrence. Reference: Absil,
// Baker, Gallivan 2007, algorithm 2; Conn, Gould, Toint 2000, section 7.5.
#pragma once

#include <algorithm>
#include <cmath>
#include <lacuna/solver/solver.hpp>

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
};

// hess(direction, out) is the Riemannian Hessian. eta and h_eta are outputs.
template <RiemannianManifold M, class Hess>
SubproblemResult truncated_cg(const M& manifold, const typename M::Point& x,
                              const typename M::Tangent& gradient, double gradient_scale, double radius,
                              Hess&& hess, const TruncatedCgOptions& options, const Interrupted& interrupted,
                              typename M::Tangent& eta, typename M::Tangent& h_eta) {
  using Tangent = typename M::Tangent;
  manifold.zero(x, eta);
  manifold.zero(x, h_eta);
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
  double model = 0.0;

  SubproblemResult result;
  // eta <- eta + tau delta with ||eta|| = radius
  const auto go_to_boundary = [&] {
    const double root = std::sqrt(eta_delta * eta_delta + delta_delta * (radius * radius - eta_eta));
    const double tau = (root - eta_delta) / delta_delta;
    manifold.axpy(tau, direction, eta);
    manifold.axpy(tau, h_direction, h_eta);
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
      go_to_boundary();
      result.end = curvature <= 0.0 ? SubproblemEnd::kNegativeCurvature : SubproblemEnd::kBoundary;
      return result;
    }
    manifold.axpy(alpha, direction, eta);
    manifold.axpy(alpha, h_direction, h_eta);
    const double next_model = manifold.inner(gradient, eta) + 0.5 * manifold.inner(eta, h_eta);
    if (next_model >= model) {  // inexact Hessian products: the last step did not help, take it back
      manifold.axpy(-alpha, direction, eta);
      manifold.axpy(-alpha, h_direction, h_eta);
      result.end = SubproblemEnd::kModelIncreased;
      return result;
    }
    model = next_model;
    eta_eta = next_eta_eta;
    manifold.axpy(alpha, h_direction, residual);
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
