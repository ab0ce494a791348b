// SPDX-License-Identifier: MIT
// Steihaug-Toint truncated conjugate gradients for the trust-region subproblem
//
//   min_eta  m(eta) = <g, eta> + 1/2 <eta, H eta>   subject to ||eta|| <= radius
//
// It stops at the boundary, on negative curvature, or when
//
//   ||r|| <= ||g|| min(kappa, (||g|| / gradient scale)^theta),   r = g + H eta
//
// (theta = 1 makes the outer loop converge quadratically). The decrease of the model, which the ratio test of
// the trust region needs, costs no further product: m(eta) = 1/2 <g + r, eta>. ||eta|| grows with every step,
// so the point where the path leaves a smaller ball is what the method returns for that ball: a Crossing.
//
// Notation  eta    the step so far, from 0
//           r      g + H eta
//           delta  the direction, -unit r + beta delta
//           unit   a power of two about 1 / ||g||. Directions of length about 1 keep H delta, which grows
//                  with the fourth power of the data, in the range of single precision; a power of two adds
//                  no rounding.
//
// Reference: Absil, Baker, Gallivan 2007, algorithm 2; Conn, Gould, Toint 2000, section 7.5. Cost: one
// Hessian product and O(dimension) a step. The workspace is kept between calls: no allocation after the
// first.
#pragma once

#include <algorithm>
#include <cmath>
#include <span>
#include <vector>

#include "solver/solver.hpp"

namespace lacuna {

struct TruncatedCgOptions {
  double kappa = 0.1;        // in (0, 1): linear accuracy asked of the subproblem far from a solution
  double theta = 1.0;        // >= 0: order of the superlinear rule near one
  int max_iterations = 100;  // >= 1 Hessian products
  // >= 0: so many residuals of a subproblem are kept, and each new one is made orthogonal to them. Exact residuals are
  // orthogonal; those of a long recurrence are not, and with them the step comes to depend on how sums are rounded.
  int kept_residuals = 0;
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
  double decrease = 0.0;  // -m(eta)
};

// The answer for a ball inside the one that was asked about.
template <class Tangent>
struct Crossing {
  double radius = 0.0;
  double decrease = 0.0;  // 0: the path did not get that far
  Tangent eta{};
};

template <RiemannianManifold M>
class TruncatedCg {
 public:
  using Tangent = typename M::Tangent;
  struct Subproblem {
    const typename M::Point& x;
    const Tangent& gradient;
    double gradient_scale;
    double radius;
  };

  explicit TruncatedCg(const TruncatedCgOptions& options) : options_(options) {}

  // hessian(direction, out): out <- H direction. Outputs: eta, and the decrease and eta of the crossings,
  // whose radii ascend.
  template <class Hessian>
  SubproblemResult solve(const M& manifold, const Subproblem& problem, Hessian&& hessian,
                         const Interrupted& interrupted, Tangent& eta,
                         std::span<Crossing<Tangent>> crossings = {}) {
    start(manifold, problem, eta, crossings);
    while (result_.iterations < options_.max_iterations) {
      if (interrupted && interrupted()) return ended(SubproblemEnd::kStopped);
      hessian(direction_, h_direction_);
      ++result_.iterations;
      measure_curvature(manifold);
      if (curvature_ <= 0.0 || next_eta_eta_ >= problem.radius * problem.radius) {
        go_to_boundary(manifold, problem, eta);
        return ended(curvature_ <= 0.0 ? SubproblemEnd::kNegativeCurvature : SubproblemEnd::kBoundary);
      }
      if (!take_step(manifold, problem, eta)) return ended(SubproblemEnd::kModelIncreased);
      if (std::sqrt(next_rr_) <= target_) return ended(SubproblemEnd::kAccurate);
      turn(manifold);
    }
    return ended(SubproblemEnd::kMaxIterations);
  }

 private:
  void start(const M& manifold, const Subproblem& problem, Tangent& eta,
             std::span<Crossing<Tangent>> crossings) {
    manifold.zero(problem.x, eta);
    residual_ = problem.gradient;
    rr_ = manifold.inner(residual_, residual_);
    const double norm = std::sqrt(rr_);
    unit_ = std::isnormal(norm) ? std::ldexp(1.0, -std::ilogb(norm)) : 1.0;
    direction_ = problem.gradient;
    manifold.scale(-unit_, direction_);
    manifold.zero(problem.x, h_direction_);
    target_ = norm * std::min(options_.kappa, std::pow(norm / problem.gradient_scale, options_.theta));
    eta_eta_ = 0.0;
    eta_delta_ = 0.0;
    delta_delta_ = unit_ * unit_ * rr_;
    result_ = {};
    crossings_ = crossings;
    for (Crossing<Tangent>& at : crossings_) at.decrease = 0.0;
    crossed_ = 0;
    kept_count_ = 0;
    if (rr_ > 0.0) keep_residual(manifold);
  }

  // The minimiser along delta is at alpha = -<r, delta> / <delta, H delta>, where <r, delta> = -unit <r, r>.
  void measure_curvature(const M& manifold) {
    curvature_ = manifold.inner(direction_, h_direction_);
    alpha_ = unit_ * rr_ / curvature_;
    next_eta_eta_ = eta_eta_ + 2.0 * alpha_ * eta_delta_ + alpha_ * alpha_ * delta_delta_;
  }

  void go_to_boundary(const M& manifold, const Subproblem& problem, Tangent& eta) {
    record_crossings(manifold, problem.radius * problem.radius, eta);
    result_.decrease = advance(manifold, problem, step_to(problem.radius), eta);
  }

  // eta <- eta + alpha delta. False, and eta as it was, when that does not decrease the model: an inexact
  // Hessian.
  bool take_step(const M& manifold, const Subproblem& problem, Tangent& eta) {
    const std::size_t first = crossed_;
    record_crossings(manifold, next_eta_eta_, eta);
    const double decrease = advance(manifold, problem, alpha_, eta);
    if (decrease <= result_.decrease) {
      manifold.axpy(-alpha_, direction_, eta);
      for (std::size_t c = first; c < crossed_; ++c) crossings_[c].decrease = 0.0;
      return false;
    }
    result_.decrease = decrease;
    eta_eta_ = next_eta_eta_;
    orthogonalize(manifold);
    next_rr_ = manifold.inner(residual_, residual_);
    return true;
  }

  // r <- r - sum_i <q_i, r> q_i over the directions q_i = r_i / ||r_i|| of the residuals before it
  void orthogonalize(const M& manifold) {
    if (options_.kept_residuals == 0) return;
    const std::span<const Tangent> before(kept_.data(), kept_count_);
    if constexpr (requires { manifold.take_off(before, residual_); }) {
      manifold.take_off(before, residual_);
    } else {
      for (const Tangent& one : before) manifold.axpy(-manifold.inner(one, residual_), one, residual_);
    }
  }
  void keep_residual(const M& manifold) {
    if (kept_count_ >= static_cast<std::size_t>(options_.kept_residuals)) return;
    if (kept_count_ == kept_.size()) kept_.emplace_back();
    Tangent& last = kept_[kept_count_++];
    last = residual_;
    manifold.scale(1.0 / std::sqrt(rr_), last);
  }

  // delta <- -unit r + beta delta, and the products that follow from it by recurrence
  void turn(const M& manifold) {
    const double beta = next_rr_ / rr_;
    rr_ = next_rr_;
    keep_residual(manifold);
    manifold.scale(beta, direction_);
    manifold.axpy(-unit_, residual_, direction_);
    eta_delta_ = beta * (eta_delta_ + alpha_ * delta_delta_);
    delta_delta_ = unit_ * unit_ * rr_ + beta * beta * delta_delta_;
  }

  // eta <- eta + step delta; returns the decrease -m(eta).
  double advance(const M& manifold, const Subproblem& problem, double step, Tangent& eta) {
    manifold.axpy(step, direction_, eta);
    manifold.axpy(step, h_direction_, residual_);
    return -0.5 * (manifold.inner(problem.gradient, eta) + manifold.inner(residual_, eta));
  }

  // The step with ||eta + step delta|| = length.
  [[nodiscard]] double step_to(double length) const {
    const double root = std::sqrt(eta_delta_ * eta_delta_ + delta_delta_ * (length * length - eta_eta_));
    return (root - eta_delta_) / delta_delta_;
  }

  // Crossings on the way along delta to this length. There
  //   -m grows by step unit <r, r> - step^2 curvature / 2
  void record_crossings(const M& manifold, double length_squared, const Tangent& eta) {
    for (; crossed_ < crossings_.size(); ++crossed_) {
      Crossing<Tangent>& at = crossings_[crossed_];
      if (at.radius * at.radius >= length_squared) break;
      const double step = step_to(at.radius);
      at.eta = eta;
      manifold.axpy(step, direction_, at.eta);
      at.decrease = result_.decrease + step * unit_ * rr_ - 0.5 * step * step * curvature_;
    }
  }

  SubproblemResult ended(SubproblemEnd end) {
    result_.end = end;
    return result_;
  }

  TruncatedCgOptions options_;
  Tangent residual_;           // r = g + H eta
  Tangent direction_;          // delta
  Tangent h_direction_;        // H delta
  std::vector<Tangent> kept_;  // directions of residuals, the first so many of this subproblem
  std::size_t kept_count_ = 0;
  double unit_ = 1.0;
  double target_ = 0.0;  // on ||r||
  double rr_ = 0.0;      // <r, r>, before and after a step
  double next_rr_ = 0.0;
  double eta_eta_ = 0.0;  // <eta, eta>, before and after a step
  double next_eta_eta_ = 0.0;
  double eta_delta_ = 0.0;    // <eta, delta>
  double delta_delta_ = 0.0;  // <delta, delta>
  double curvature_ = 0.0;    // <delta, H delta>
  double alpha_ = 0.0;
  SubproblemResult result_;
  std::span<Crossing<Tangent>> crossings_;
  std::size_t crossed_ = 0;  // how many of them the path has passed
};

}  // namespace lacuna
