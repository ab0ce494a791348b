// SPDX-License-Identifier: MIT
#include "problem/inner_system.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lacuna {
namespace {
constexpr double kRound = 1e-3;    // how much a round in single precision is asked to reduce the residual
constexpr double kMargin = 0.95;   // of the tolerance, for what rounding adds to the last round's residual
constexpr double kStalled = 0.25;  // a round that reduces it less than to this was in vain
// How far the near inverse is taken for each step of the outer iteration: where it is all there is to A,
// as far as is still needed; else no further than the rest of A lets it be of use.
constexpr double kNearMargin = 0.5;
constexpr double kNearFirst = 0.05;  // from 0, where ||Z|| may turn out far smaller than thought: a few steps
                                     // more are cheaper than another solve
constexpr double kNearRoughly = 0.1;
}  // namespace

template <class Real>
InnerSystem<Real>::InnerSystem(const ProblemData<Real>& data, double shift, int max_iterations,
                               Interrupted interrupted)
    : data_(&data),
      shift_(shift),
      max_iterations_(max_iterations),
      interrupted_(std::move(interrupted)),
      exact_(data.parts(), data.weights(),
             kRefines && !has_grids(data.parts()) ? OperatorUse::kRarely : OperatorUse::kOften) {
  if (has_grids(data.parts()) && grids_are_tame(data.parts(), data.lambda()))
    rough_near_.emplace(data.parts());
  else if (has_grids(data.parts()))
    near_.emplace(data.parts());
  else if constexpr (kRefines)
    rough_.emplace(data.parts(), data.weights());
}

template <class Real>
void InnerSystem<Real>::set_point(const Point& u) {
  exact_.set_point(u, data_->lambda(), shift_);
  const auto ridge = [this](Count e) { return shift_ / data_->weight(e); };
  if (near_) near_->set_point(u, data_->lambda(), exact_.inverse_diagonal(), ridge);
  if (rough_near_) rough_near_->set_point(u, data_->lambda(), exact_.inverse_diagonal(), ridge);
  if (!rough_) return;
  if constexpr (kRefines) {
    std::vector<Matrix<float>> narrow;
    for (const Matrix<Real>& factor : u) narrow.emplace_back(factor.template cast<float>());
    rough_->set_point(narrow, data_->lambda(), shift_);
  }
}

template <class Real>
bool InnerSystem<Real>::solve(std::span<const Real> b, bool start_is_zero, double tolerance, Ending ending,
                              std::span<Real> x) {
  const double floor = ending == Ending::kMeasured ? floor_ : 0.0;
  tolerance = std::max(tolerance, floor);
  if (near_ || rough_near_) {
    const double margin = start_is_zero && ending == Ending::kMeasured ? kNearFirst : kNearMargin;
    return solve_near(b, start_is_zero, tolerance, std::max(margin * tolerance, kNearMargin * floor), x);
  }
  if constexpr (!kRefines) {
    return solve_directly(b, start_is_zero, tolerance, max_iterations_, work_, x);
  } else {
    if (start_is_zero) {
      std::fill(x.begin(), x.end(), Real{0});
      if (b.data() != residual_.data()) residual_.assign(b.begin(), b.end());
    } else {
      take_residual(b, x);
    }
    double norm = residual_norm();
    if (b.data() == residual_.data() && (ending == Ending::kMeasured || tolerance < kRound * norm)) {
      kept_ = residual_;
      b = kept_;
    }
    int left = max_iterations_;
    while (norm > tolerance) {
      const double wanted = ending == Ending::kEstimated ? tolerance : kMargin * tolerance;
      const CgResult round = add_correction(norm, std::max(wanted, kRound * norm), left, x);
      left -= round.iterations;
      if (ending == Ending::kEstimated && wanted >= kRound * norm) return round.converged;
      take_residual(b, x);
      const double before = std::exchange(norm, residual_norm());
      if (norm <= tolerance) break;
      if (left <= 0 || (interrupted_ && interrupted_())) return false;
      if (!(norm < kStalled * before)) {
        CgWorkspace<Real> work;
        const bool converged = solve_directly(b, false, tolerance, left, work, x);
        residual_ = std::move(work.residual);
        return converged;
      }
    }
    return true;
  }
}

template <class Real>
bool InnerSystem<Real>::solve_near(std::span<const Real> b, bool start_is_zero, double tolerance,
                                   double close_enough, std::span<Real> x) {
  std::vector<Real>& left = residual();
  if (start_is_zero) {
    std::fill(x.begin(), x.end(), Real{0});
    if (b.data() != left.data()) left.assign(b.begin(), b.end());
  } else {
    left.resize(b.size());
    exact_.apply(x, left);
    for (std::size_t e = 0; e < left.size(); ++e) left[e] = b[e] - left[e];
  }
  return flexible_conjugate_gradients<Real>(
             [this](std::span<const Real> in, std::span<Real> out) { exact_.apply(in, out); },
             [&](std::span<const Real> r, std::span<Real> s, double norm) {
               const bool exact = near_ ? near_->exact() : rough_near_->exact();
               const double goal = std::max(close_enough, exact ? 0.0 : kNearRoughly * norm);
               return near_ ? near_->apply(r, goal, max_iterations_, interrupted_, s)
                            : rough_near_->apply(r, goal, max_iterations_, interrupted_, s);
             },
             x, left,
             {.tolerance = tolerance, .max_iterations = max_iterations_, .interrupted = interrupted_},
             data_->everyone(), near_work_)
      .converged;
}

template <class Real>
void InnerSystem<Real>::take_residual(std::span<const Real> b, std::span<const Real> x) {
  residual_.resize(b.size());
  exact_.apply(x, residual_);
  parallel_blocks(static_cast<Count>(b.size()), [&](Count begin, Count end) {
    for (Count e = begin; e < end; ++e) residual_[e] = b[e] - residual_[e];
  });
}

template <class Real>
double InnerSystem<Real>::residual_norm() const {
  return std::sqrt(dot<Real>(data_->everyone(), residual_, residual_));
}

// x += d with A d = residual up to `goal`, in single precision. The residual is brought to a length of about
// 1 first: the squares of what single precision holds need not be in its range.
template <class Real>
CgResult InnerSystem<Real>::add_correction(double norm, double goal, int most, std::span<Real> x) {
  const auto entries = static_cast<Count>(x.size());
  const double unit = std::isnormal(norm) ? std::ldexp(1.0, -std::ilogb(norm)) : 1.0;
  work_.resize(x.size());
  correction_.resize(x.size());
  parallel_blocks(entries, [&](Count begin, Count end) {
    for (Count e = begin; e < end; ++e)
      work_.residual[e] = static_cast<float>(unit * static_cast<double>(residual_[e]));
  });
  const CgResult result = conjugate_gradients<float>(
      [this](std::span<const float> in, std::span<float> out) { rough_->apply(in, out); },
      rough_->inverse_diagonal(), work_.residual, correction_, true,
      {.tolerance = unit * goal, .max_iterations = most, .interrupted = interrupted_}, data_->everyone(),
      work_);
  parallel_blocks(entries, [&](Count begin, Count end) {
    for (Count e = begin; e < end; ++e) x[e] += static_cast<Real>(static_cast<double>(correction_[e]) / unit);
  });
  return result;
}

template <class Real>
bool InnerSystem<Real>::solve_directly(std::span<const Real> b, bool start_is_zero, double tolerance,
                                       int most, CgWorkspace<Real>& work, std::span<Real> x) {
  return conjugate_gradients<Real>(
             [this](std::span<const Real> in, std::span<Real> out) { exact_.apply(in, out); },
             inverse_diagonal(), b, x, start_is_zero,
             {.tolerance = tolerance, .max_iterations = most, .interrupted = interrupted_}, data_->everyone(),
             work)
      .converged;
}

template class InnerSystem<double>;
template class InnerSystem<float>;

}  // namespace lacuna
