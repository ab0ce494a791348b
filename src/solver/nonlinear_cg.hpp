// SPDX-License-Identifier: MIT
// Riemannian nonlinear conjugate gradients: first-order steps, for problems whose Hessian products cost too
// much.
//
//   d     = -g
//   x    <- R_x(t d),  t from a backtracking (Armijo) line search
//   beta  = max(0, <g_new, g_new - T g> / <T d, g_new - T g>)   Hestenes-Stiefel+
//   beta  = max(0, <g_new, g_new - T g> / <g, g>)               Polak-Ribiere+
//   d    <- -g_new + beta T d,  restarted when it is no descent direction
//
// T is the manifold's transport, a projection on the new tangent space. The first trial step is the
// objective's step_length() if it has one, else it follows the last decrease: t = 2 (f - f_before) / <g, d>
// (Nocedal & Wright 2006, (3.60)). Reference: Absil, Mahony, Sepulchre 2008, section 8.3.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>
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

// Holds the workspace of the solver; steps reuse it.
template <FirstOrderManifold M, class O>
requires FirstOrderObjective<O, M>
class NonlinearCg {
 public:
  using Point = typename M::Point;
  using Tangent = typename M::Tangent;
  using State = typename O::State;

  // Manifold, objective and callback must outlive this.
  NonlinearCg(const M& manifold, O& objective, const NonlinearCgOptions& options,
              const Interrupted& interrupted)
      : manifold_(&manifold), objective_(&objective), options_(options), interrupted_(&interrupted) {}

  // Minimises from x, which ends as the best point found, with its state in `state`. It calls
  // observe(record, x, state) at the start and after every step, which may stop the solver. With a keeper
  // that has something to go on from, x and state only say of what size they are.
  template <class Observe>
  Summary minimize(Point& x, State& state, Observe&& observe, const StepKeeper* keeper = nullptr) {
    const bool goes_on = keeper != nullptr && keeper->go_on;
    if (goes_on) go_on(*keeper, x, state);
    bool reported = goes_on && begun_;
    if (!reported) begin(keeper, x, state);
    for (;; reported = false) {
      step_record_ = record_;
      if (!reported && observe(std::as_const(record_), std::as_const(x), std::as_const(state)) == Flow::kStop)
        return stopped(keeper, x, state);
      if (const std::optional<StopReason> reason = finished()) return summarize(record_, *reason);
      if (spoiled_) return stopped(keeper, x, state);
      keep(keeper, x, state);

      ensure_descent(x);
      const LineSearchEnd end = search_along_direction(x, state);
      if (end == LineSearchEnd::kInterrupted) return stopped(keeper, x, state);
      if (end == LineSearchEnd::kFailed) return summarize(record_, StopReason::kNoFurtherDecrease);

      move_to_candidate(x, state);
      update_direction(x);
      predict_step_length(x);
      ++record_.iteration;
    }
  }

 private:
  enum class LineSearchEnd { kDecreased, kFailed, kInterrupted };

  // A predicted step is within these factors of the last one.
  static constexpr double kShortest = 0.1;
  static constexpr double kLongest = 10.0;

  void start(Point& x, State& state) {
    record_ = {};
    evaluate_to({}, *objective_, x, nullptr, state);
    linearize(x, state);
    direction_ = gradient_;
    manifold_->scale(-1.0, direction_);
    step_length_ = options_.initial_step * manifold_->typical_distance();
  }

  // Of the beginning of a step. ensure_descent() may have changed the direction since, and would again.
  void fields(Archive& archive, Point& x, State& state) {
    archive("x", x);
    archive("begun", begun_);
    if (!begun_) {
      take_start(*objective_, archive);
      return;
    }
    take_state(*objective_, archive, state);
    archive("direction", direction_);
    archive("step_length", step_length_);
    archive("record", step_record_);
  }
  void keep(const StepKeeper* keeper, Point& x, State& state) {
    if (!spoiled_ && keeper != nullptr && keeper->wanted && keeper->wanted())
      keeper->keep([&](Archive& archive) { fields(archive, x, state); });
  }
  Summary stopped(const StepKeeper* keeper, Point& x, State& state) {
    keep(keeper, x, state);
    return summarize(record_, StopReason::kStopped);
  }
  void go_on(const StepKeeper& keeper, Point& x, State& state) {
    manifold_->zero(x, direction_);
    keeper.go_on([&](Archive& archive) { fields(archive, x, state); });
    if (begun_) linearize(x, state);
    record_ = step_record_;
    if (keeper.gone_on) keeper.gone_on();
  }
  // The first point. Where that is interrupted it is worth nothing, and will be begun again.
  void begin(const StepKeeper* keeper, Point& x, State& state) {
    start(x, state);
    if (*interrupted_ && (*interrupted_)()) {
      begun_ = false;
      keep(keeper, x, state);
      spoiled_ = true;
    }
    begun_ = true;
  }

  // Everything that belongs to the point x: frame, gradient, and what is reported of them.
  void linearize(const Point& x, const State& state) {
    manifold_->frame(x, frame_);
    manifold_->zero(x, gradient_);
    objective_->gradient(x, state, gradient_);
    to_gradient(*manifold_, x, frame_, gradient_);
    measure_point(*objective_, state, norm(x, gradient_), record_);
  }

  [[nodiscard]] std::optional<StopReason> finished() const {
    if (record_.relative_gradient <= options_.gradient_tolerance) return StopReason::kGradientTolerance;
    if (record_.iteration >= options_.max_iterations) return StopReason::kMaxIterations;
    return std::nullopt;
  }

  // slope = <g, d>; d <- -g unless it is negative
  void ensure_descent(const Point& x) {
    slope_ = inner(x, gradient_, direction_);
    if (slope_ < 0.0) return;
    direction_ = gradient_;
    manifold_->scale(-1.0, direction_);
    slope_ = inner(x, gradient_, direction_);
  }

  // Armijo: the first t with f(R_x(t d)) <= f(x) + c t slope. The decrease must also be positive: once t
  // slope is below rounding the sum alone would accept steps without progress for ever.
  LineSearchEnd search_along_direction(const Point& x, const State& state) {
    const double cost = objective_->cost(state);
    double t = first_trial(x, state);
    for (record_.inner_iterations = 1; record_.inner_iterations <= options_.max_backtracks;
         ++record_.inner_iterations, t *= options_.contraction) {
      step_ = direction_;
      manifold_->scale(t, step_);
      manifold_->retract(x, step_, candidate_);
      evaluate_to({.relative_gradient = record_.relative_gradient}, *objective_, candidate_, &state,
                  candidate_state_);
      if (*interrupted_ && (*interrupted_)()) return LineSearchEnd::kInterrupted;
      const double candidate_cost = objective_->cost(candidate_state_);
      decrease_ = cost - candidate_cost;
      if (candidate_cost < cost && candidate_cost <= cost + options_.sufficient_decrease * t * slope_)
        return LineSearchEnd::kDecreased;
    }
    return LineSearchEnd::kFailed;
  }

  [[nodiscard]] double first_trial(const Point& x, const State& state) {
    if constexpr (requires { objective_->step_length(x, state, direction_); }) {
      const double wanted = objective_->step_length(x, state, direction_);
      if (wanted > 0.0 && std::isfinite(wanted)) return wanted;
    }
    return step_length_ / norm(x, direction_);
  }

  // Leaves the old point in candidate and the old gradient in change.
  void move_to_candidate(Point& x, State& state) {
    change_ = gradient_;
    old_gradient_square_ = record_.gradient_norm * record_.gradient_norm;
    record_.step = norm(x, step_);
    std::swap(x, candidate_);
    std::swap(state, candidate_state_);
    linearize(x, state);
  }

  // change = g_new - T g, then beta and d <- -g_new + beta T d
  void update_direction(const Point& x) {
    transport(*manifold_, candidate_, x, frame_, direction_);
    transport(*manifold_, candidate_, x, frame_, change_);
    manifold_->scale(-1.0, change_);
    manifold_->axpy(1.0, gradient_, change_);
    const double denominator =
        options_.rule == ConjugateRule::kPolakRibiere ? old_gradient_square_ : inner(x, direction_, change_);
    const double beta = denominator != 0.0 ? std::max(0.0, inner(x, gradient_, change_) / denominator) : 0.0;
    manifold_->scale(beta, direction_);
    manifold_->axpy(-1.0, gradient_, direction_);
  }

  // The length that repeats the last decrease if f is quadratic along d: ||t d||, t = -2 decrease / <g, d>
  void predict_step_length(const Point& x) {
    const double slope = inner(x, gradient_, direction_);
    step_length_ = slope < 0.0 ? std::clamp(-2.0 * decrease_ / slope * norm(x, direction_),
                                            kShortest * record_.step, kLongest * record_.step)
                               : record_.step;
  }

  // In the metric at x, whose frame this is.
  [[nodiscard]] double inner(const Point& x, const Tangent& a, const Tangent& b) const {
    return inner_at(*manifold_, x, frame_, a, b);
  }
  [[nodiscard]] double norm(const Point& x, const Tangent& a) const { return std::sqrt(inner(x, a, a)); }

  const M* manifold_;
  O* objective_;
  NonlinearCgOptions options_;
  const Interrupted* interrupted_;

  typename M::Frame frame_;  // of x
  Tangent gradient_;         // g = grad f(x)
  Tangent direction_;        // d
  Tangent step_;             // t d
  Tangent change_;           // g_new - T g
  Point candidate_;          // R_x(t d)
  State candidate_state_;
  double slope_ = 0.0;                // <g, d>
  double decrease_ = 0.0;             // f(x) - f(R_x(t d))
  double old_gradient_square_ = 0.0;  // <g, g> before the step
  double step_length_ = 0.0;          // of the next first trial
  IterationRecord record_;
  IterationRecord step_record_;  // at the beginning of the step
  bool begun_ = true;            // the first point has been evaluated
  bool spoiled_ = false;         // or that was interrupted
};

// The same in one call.
template <FirstOrderManifold M, class O, class Observe>
requires FirstOrderObjective<O, M> Summary nonlinear_cg(const M& manifold, O& objective, typename M::Point& x,
                                                        typename O::State& state,
                                                        const NonlinearCgOptions& options,
                                                        const Interrupted& interrupted, Observe&& observe,
                                                        const StepKeeper* keeper = nullptr) {
  return NonlinearCg<M, O>(manifold, objective, options, interrupted)
      .minimize(x, state, std::forward<Observe>(observe), keeper);
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
