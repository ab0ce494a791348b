// SPDX-License-Identifier: MIT
#include "problem/dual_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lacuna {
namespace {
constexpr double kRidge = 0.5;    // A = Z/2 + ...: the 1/4 ||Z||^2 of the dual
constexpr double kRestart = 2.0;  // solve on when ||Z|| turns out to be smaller than assumed by this factor
}  // namespace

template <class Real>
DualProblem<Real>::DualProblem(const ProblemData<Real>& data, const DualOptions& options,
                               Interrupted interrupted)
    : data_(&data),
      options_(options),
      interrupted_(std::move(interrupted)),
      system_(data, kRidge, options.max_cg_iterations, interrupted_),
      direction_(data.parts().size()),
      z_there_(data.parts()),
      z_dot_there_(data.parts()) {
  system_.set_floor(options.floor * data.y_norm());
  if constexpr (sizeof(Real) < sizeof(double)) {  // what single precision can resolve
    options_.tightest = std::max(options_.tightest, 1e-5);
    options_.loosest = std::max(options_.loosest, options_.tightest);
  }
}

template <class Real>
void DualProblem<Real>::move_to(const Point& u, const State& state) {
  if (operator_at_ == state.id) return;
  system_.set_point(u);
  operator_at_ = state.id;
}

template <class Real>
void DualProblem<Real>::evaluate(const Point& u, const State* near, State& state, Accuracy accuracy) {
  state.id = next_id_++;
  move_to(u, state);
  const bool from_zero = start_at(near, state);
  solve(std::clamp(options_.forcing * accuracy.relative_gradient, options_.tightest, options_.loosest),
        from_zero, state);

  const Communicator& everyone = data_->everyone();
  const std::vector<Real>& residual = system_.residual();
  // g = 1/2 <Z,Y> + 1/2 <Z,R>;  1/2 <R, M^-1 R> stands for the unknown 1/2 <R, A^-1 R>
  state.cost = 0.5 * dot<Real>(everyone, state.z, data_->y()) + 0.5 * dot<Real>(everyone, state.z, residual);
  state.uncertainty = 0.5 * residual_products<Real>(everyone, system_.inverse_diagonal(), residual).scaled;
  state.misfit = misfit(state.z, residual);
}

// Z where the solve begins: that of the state near by, else what start_from gave, else 0, for which it
// returns true.
template <class Real>
bool DualProblem<Real>::start_at(const State* near, State& state) {
  if (near != nullptr) {
    state.z = near->z;
    return false;
  }
  state.z = start_;
  state.z.resize(static_cast<std::size_t>(data_->entries()));
  if (!start_.empty()) scale_to_point(state.z);
  return start_.empty();
}

// Z <- t Z with t = <Z,Y> / <Z, A Z>, the best multiple in the norm of A: a Z of another lambda has another
// length.
template <class Real>
void DualProblem<Real>::scale_to_point(std::vector<Real>& z) {
  const Communicator& everyone = data_->everyone();
  z_dot_.resize(z.size());
  system_.apply(z, z_dot_);
  const double curvature = dot<Real>(everyone, z, z_dot_);
  if (!(curvature > 0.0)) return;
  const auto scale = static_cast<Real>(dot<Real>(everyone, z, data_->y()) / curvature);
  for (Real& value : z) value *= scale;
}

// A Z = Y up to ||R|| <= tolerance ||Z / weight||: the error of Z is about twice R times the weights, so
// ||R|| is compared with ||Z / weight||, which is small where the data is fitted closely. It is known only as
// the solve proceeds.
template <class Real>
void DualProblem<Real>::solve(double tolerance, bool from_zero, State& state) {
  using Ending = typename InnerSystem<Real>::Ending;
  double scale = from_zero ? data_->y_norm() : scaled_norm(state.z);
  bool solved = system_.solve(data_->y(), from_zero, tolerance * scale, Ending::kMeasured, state.z);
  for (double found = scaled_norm(state.z); solved && found < scale / kRestart;
       found = scaled_norm(state.z)) {
    scale = found;
    solved = system_.solve(data_->y(), false, tolerance * scale, Ending::kMeasured, state.z);
  }
}

// ||Z / weight||
template <class Real>
double DualProblem<Real>::scaled_norm(std::span<const Real> z) const {
  const Communicator& everyone = data_->everyone();
  if (data_->weights().empty()) return std::sqrt(dot<Real>(everyone, z, z));
  return std::sqrt(everyone.sum(parallel_sum(data_->entries(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) {
      const double value = static_cast<double>(z[e]) / data_->weight(e);
      sum += value * value;
    }
    return sum;
  })));
}

// The weighted norm of Y - W_Omega = Y - (A Z - Z/(2 weight)) = R + Z/(2 weight).
template <class Real>
double DualProblem<Real>::misfit(std::span<const Real> z, std::span<const Real> residual) const {
  return std::sqrt(data_->everyone().sum(parallel_sum(data_->entries(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) {
      const double weight = data_->weight(e);
      const double miss = static_cast<double>(residual[e]) + kRidge / weight * static_cast<double>(z[e]);
      sum += weight * miss * miss;
    }
    return sum;
  })));
}

template <class Real>
void DualProblem<Real>::gradient(const Point& u, const State& state, Point& out) {
  move_to(u, state);
  z_there_.send(state.z);
  for (std::size_t p = 0; p < data_->parts().size(); ++p) {
    out[p].setZero();
    data_->parts()[p].add_gram(system_.factor(p), -data_->lambda()[p], z_there_[p], out[p], work_);
  }
  sums_.sum(data_->everyone(), out);
}

template <class Real>
void DualProblem<Real>::hessian(const Point& u, const State& state, const Point& direction, Point& out,
                                Accuracy accuracy) {
  move_to(u, state);
  const auto& parts = data_->parts();
  for (std::size_t p = 0; p < parts.size(); ++p) parts[p].expand(direction[p], direction_[p]);
  z_there_.send(state.z);
  solve_for_z_dot(std::clamp(options_.hessian_forcing * accuracy.relative_gradient, options_.hessian_tightest,
                             options_.hessian_loosest));
  z_dot_there_.send(z_dot_);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    out[p].setZero();
    parts[p].add_gram(direction_[p], -data_->lambda()[p], z_there_[p], out[p], work_);
    parts[p].add_cross(system_.factor(p), -data_->lambda()[p], z_there_[p], z_dot_there_[p], out[p], work_);
  }
  sums_.sum(data_->everyone(), out);
}

// A Zdot = -sum_p lambda_p (Z x_k (V_p U_p' + U_p V_p'))_Omega, of the Z that was sent to the parts
template <class Real>
void DualProblem<Real>::solve_for_z_dot(double tolerance) {
  std::vector<Real>& right_side = system_.residual();
  right_side.assign(static_cast<std::size_t>(data_->entries()), Real{0});
  z_dot_there_.start(right_side);
  for (std::size_t p = 0; p < data_->parts().size(); ++p)
    data_->parts()[p].add_directional(system_.factor(p), direction_[p], -data_->lambda()[p], z_there_[p],
                                      z_dot_there_.to(p), work_);
  z_dot_there_.bring_back();
  const double norm = std::sqrt(dot<Real>(data_->everyone(), right_side, right_side));
  z_dot_.resize(right_side.size());
  system_.solve(right_side, true, tolerance * norm, InnerSystem<Real>::Ending::kEstimated, z_dot_);
}

template class DualProblem<double>;
template class DualProblem<float>;

}  // namespace lacuna
