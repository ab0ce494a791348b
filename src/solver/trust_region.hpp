// SPDX-License-Identifier: MIT
// Riemannian trust region: min_x f(x) over a manifold, by second-order steps inside a ball whose radius
// follows how well the quadratic model has predicted the decrease.
//
//   g     = grad f(x)
//   eta  ~= argmin <g, eta> + 1/2 <eta, H eta>,  ||eta|| <= radius        (truncated CG)
//   ratio = (f(x) - f(R_x(eta)) + slack) / (model decrease + slack)
//   accept if ratio > acceptance; shrink the radius below 1/4, widen it above 3/4 at the boundary
//
// The path to a rejected step passed through the answers for smaller balls (truncated_cg.hpp). These are
// tried before the iteration ends, without a Hessian product.
//
// It ends when steps no longer gain anything that can be told: several in a row whose predicted decrease is
// below the costs' own uncertainty and next to nothing of them, and none of which brought the gradient
// clearly below the smallest before. An inexact gradient may stay above any tolerance.
//
// The slack keeps the ratio near 1 when both decreases are below rounding or below the error of an inexact
// cost (Conn, Gould, Toint 2000, section 17.4.2). Reference: Absil, Mahony, Sepulchre 2008, chapter 7.
#pragma once

#include <cmath>
#include <limits>
#include <optional>
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

// Holds the workspace of the solver; steps reuse it.
template <RiemannianManifold M, class O>
requires Objective<O, M>
class TrustRegion {
 public:
  using Point = typename M::Point;
  using Tangent = typename M::Tangent;
  using State = typename O::State;

  // Manifold, objective and callback must outlive this.
  TrustRegion(const M& manifold, O& objective, const TrustRegionOptions& options,
              const Interrupted& interrupted)
      : manifold_(&manifold),
        objective_(&objective),
        options_(options),
        interrupted_(&interrupted),
        unit_(manifold.typical_distance()),
        subproblem_(options.subproblem) {}

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
      begin_step();
      if (!reported && observe(std::as_const(record_), std::as_const(x), std::as_const(state)) == Flow::kStop)
        return stopped(keeper, x, state);
      if (const std::optional<StopReason> reason = finished()) return summarize(record_, *reason);
      if (spoiled_) return stopped(keeper, x, state);
      keep(keeper, x, state);

      if (!solve_subproblem(x, state)) return stopped(keeper, x, state);
      do {
        if (!evaluate_candidate(x, state)) return stopped(keeper, x, state);
        judge(state);
        update_radius();
      } while (!record_.accepted && shorten_step());
      const bool within_uncertainty =
          model_.decrease <= std::min(uncertainty_, kNothing * std::abs(objective_->cost(state)));
      if (record_.accepted) move_to_candidate(x, state);
      count_idle_steps(within_uncertainty);

      ++record_.iteration;
      record_.radius = radius_;
      record_.inner_iterations = model_.iterations;
    }
  }

 private:
  static constexpr double kRoundingSlack = 1e3;     // times machine epsilon times |f|
  static constexpr double kUncertaintySlack = 2.0;  // times the costs' own uncertainty
  // In units of the typical distance: no step matters any more.
  static constexpr double kSmallestRadius = 1e-10;
  static constexpr double kShrink = 0.25;  // of the radius
  static constexpr int kIdleSteps = 3;     // in a row, to end
  // Of the cost: a hundred such steps change none of its first five digits.
  static constexpr double kNothing = 1e-7;
  static constexpr double kLower = 0.9;  // of the smallest gradient so far: a step to there was not idle
  static constexpr double kPoorRatio = 0.25;
  static constexpr double kGoodRatio = 0.75;
  static constexpr double kClearlySmaller = 0.5;   // than a rejected step: what is worth trying instead
  static constexpr std::size_t kSmallerBalls = 2;  // whose answers are kept in case of a rejection

  void start(Point& x, State& state) {
    radius_ = options_.initial_radius * unit_;
    smaller_.resize(kSmallerBalls);
    record_ = {};
    record_.radius = radius_;
    idle_ = 0;
    least_gradient_ = std::numeric_limits<double>::infinity();
    evaluate_to({}, *objective_, x, nullptr, state);
    linearize(x, state);
  }

  // What is kept is of the beginning of a step: a step that is not ended leaves no trace.
  void begin_step() {
    step_radius_ = radius_;
    step_record_ = record_;
    least_gradient_ = std::min(least_gradient_, record_.gradient_norm);
    step_idle_ = idle_;
    step_least_gradient_ = least_gradient_;
  }
  void fields(Archive& archive, Point& x, State& state) {
    archive("x", x);
    archive("begun", begun_);
    if (!begun_) {
      take_start(*objective_, archive);
      return;
    }
    take_state(*objective_, archive, state);
    archive("radius", step_radius_);
    archive("record", step_record_);
    archive("idle", step_idle_);
    archive("least_gradient", step_least_gradient_);
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
    smaller_.resize(kSmallerBalls);
    keeper.go_on([&](Archive& archive) { fields(archive, x, state); });
    if (begun_) linearize(x, state);
    radius_ = step_radius_;
    record_ = step_record_;
    idle_ = step_idle_;
    least_gradient_ = step_least_gradient_;
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
    manifold_->zero(x, euclidean_gradient_);
    objective_->gradient(x, state, euclidean_gradient_);
    gradient_ = euclidean_gradient_;
    manifold_->project(x, frame_, gradient_);
    measure_point(*objective_, state, std::sqrt(manifold_->inner(gradient_, gradient_)), record_);
    accuracy_ = {.relative_gradient = record_.relative_gradient};
  }

  [[nodiscard]] std::optional<StopReason> finished() const {
    if (record_.relative_gradient <= options_.gradient_tolerance) return StopReason::kGradientTolerance;
    if (radius_ < kSmallestRadius * unit_) return StopReason::kNoFurtherDecrease;
    if (idle_ >= kIdleSteps) return StopReason::kWithinAccuracy;
    if (record_.iteration >= options_.max_iterations) return StopReason::kMaxIterations;
    return std::nullopt;
  }

  // False when interrupted.
  bool solve_subproblem(const Point& x, const State& state) {
    const auto hessian = [&](const Tangent& direction, Tangent& out) {
      manifold_->zero(x, out);
      hessian_to(accuracy_, *objective_, x, state, direction, out);
      manifold_->riemannian_hessian(x, frame_, euclidean_gradient_, direction, out);
    };
    double radius = radius_;
    for (auto ball = smaller_.rbegin(); ball != smaller_.rend(); ++ball) ball->radius = radius *= kShrink;
    smaller_left_ = smaller_.size();
    model_ = subproblem_.solve(*manifold_,
                               {.x = x,
                                .gradient = gradient_,
                                .gradient_scale = objective_->gradient_scale(state),
                                .radius = radius_},
                               hessian, *interrupted_, eta_, smaller_);
    return model_.end != SubproblemEnd::kStopped;
  }

  // candidate = R_x(eta) and its state. False when interrupted.
  bool evaluate_candidate(const Point& x, const State& state) {
    manifold_->retract(x, eta_, candidate_);
    evaluate_to(accuracy_, *objective_, candidate_, &state, candidate_state_);
    return !(*interrupted_ && (*interrupted_)());
  }

  void judge(const State& state) {
    const double cost = objective_->cost(state);
    uncertainty_ =
        kUncertaintySlack * (objective_->uncertainty(state) + objective_->uncertainty(candidate_state_));
    const double slack =
        kRoundingSlack * std::numeric_limits<double>::epsilon() * std::abs(cost) + uncertainty_;
    const double actual = cost - objective_->cost(candidate_state_);
    record_.ratio = (actual + slack) / (model_.decrease + slack);
    record_.step = std::sqrt(manifold_->inner(eta_, eta_));
    record_.accepted = model_.decrease >= 0.0 && record_.ratio > options_.acceptance;
  }

  void update_radius() {
    const bool at_boundary =
        model_.end == SubproblemEnd::kBoundary || model_.end == SubproblemEnd::kNegativeCurvature;
    if (!(record_.ratio >= kPoorRatio) || model_.decrease < 0.0) {
      radius_ = kShrink * std::min(radius_, record_.step);
    } else if (record_.ratio > kGoodRatio && at_boundary) {
      radius_ = std::min(2 * radius_, options_.max_radius * unit_);
    }
  }

  // After a rejection: eta <- the subproblem's answer for the largest of the smaller balls left that is
  // clearly shorter than the step rejected. False when there is none.
  bool shorten_step() {
    while (smaller_left_ > 0) {
      Crossing<Tangent>& ball = smaller_[--smaller_left_];
      if (!(ball.decrease > 0.0 && ball.radius <= kClearlySmaller * record_.step)) continue;
      radius_ = ball.radius;
      std::swap(eta_, ball.eta);
      model_.decrease = ball.decrease;
      model_.end = SubproblemEnd::kBoundary;
      return true;
    }
    return false;
  }

  void move_to_candidate(Point& x, State& state) {
    std::swap(x, candidate_);
    std::swap(state, candidate_state_);
    linearize(x, state);
  }

  // An exact cost makes no step idle.
  void count_idle_steps(bool within_uncertainty) {
    const bool idle =
        within_uncertainty && uncertainty_ > 0.0 && !(record_.gradient_norm < kLower * least_gradient_);
    idle_ = idle ? idle_ + 1 : 0;
  }

  const M* manifold_;
  O* objective_;
  TrustRegionOptions options_;
  const Interrupted* interrupted_;
  double unit_;  // the manifold's typical distance

  TruncatedCg<M> subproblem_;
  typename M::Frame frame_;     // of x
  Tangent euclidean_gradient_;  // of f at x
  Tangent gradient_;            // g = grad f(x)
  Accuracy accuracy_;           // what the gradient at x allows
  Tangent eta_;                 // the step
  Point candidate_;             // R_x(eta)
  State candidate_state_;
  std::vector<Crossing<Tangent>> smaller_;  // answers for 1/16 and 1/4 of the radius
  std::size_t smaller_left_ = 0;            // of which the first so many are untried
  SubproblemResult model_;
  double radius_ = 0.0;
  double uncertainty_ = 0.0;  // of the decrease that was judged last, in the slack
  int idle_ = 0;              // steps in a row that gained nothing
  double least_gradient_ = std::numeric_limits<double>::infinity();
  IterationRecord record_;
  bool begun_ = true;         // the first point has been evaluated
  bool spoiled_ = false;      // or that was interrupted
  double step_radius_ = 0.0;  // these at the beginning of the step
  IterationRecord step_record_;
  int step_idle_ = 0;
  double step_least_gradient_ = std::numeric_limits<double>::infinity();
};

// The same in one call.
template <RiemannianManifold M, class O, class Observe>
requires Objective<O, M> Summary trust_region(const M& manifold, O& objective, typename M::Point& x,
                                              typename O::State& state, const TrustRegionOptions& options,
                                              const Interrupted& interrupted, Observe&& observe,
                                              const StepKeeper* keeper = nullptr) {
  return TrustRegion<M, O>(manifold, objective, options, interrupted)
      .minimize(x, state, std::forward<Observe>(observe), keeper);
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
