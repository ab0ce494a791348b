// SPDX-License-Identifier: MIT
#include "problem/dual_problem.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lacuna {
namespace {
constexpr double kRidge = 0.5;    // A = Z/2 + ...: the 1/4 ||Z||^2 of the dual
constexpr double kRestart = 2.0;  // solve on when ||Z|| turns out this much smaller than thought
}  // namespace

template <class Real>
DualProblem<Real>::DualProblem(const ProblemData<Real>& data, const DualOptions& options,
                               Interrupted interrupted)
    : data_(&data),
      options_(options),
      interrupted_(std::move(interrupted)),
      system_(data, kRidge, options.max_cg_iterations, interrupted_),
      tolerance_(options.loosest),
      hessian_tolerance_(options.hessian_loosest) {
  if constexpr (sizeof(Real) < sizeof(double)) {  // what single precision can resolve
    options_.tightest = std::max(options_.tightest, 1e-5);
    options_.loosest = std::max(options_.loosest, options_.tightest);
    tolerance_ = options_.loosest;
  }
}

template <class Real>
void DualProblem<Real>::move_to(const Point& u, const State& state) {
  if (operator_at_ == state.id) return;
  system_.set_point(u);
  operator_at_ = state.id;
}

template <class Real>
void DualProblem<Real>::evaluate(const Point& u, const State* near, State& state) {
  state.id = next_id_++;
  move_to(u, state);
  const bool cold = near == nullptr && start_.empty();
  if (near != nullptr) {
    state.z = near->z;
  } else {
    state.z = start_;
    state.z.resize(static_cast<std::size_t>(data_->entries()));
  }
  // The error of Z is about twice R times the weights, so it is ||Z / weight||, small where the data is
  // fitted closely, that ||R|| is held against. It shows only as the solve proceeds.
  const Communicator& everyone = data_->everyone();
  const auto z_norm = [&] {
    if (data_->weights().empty()) return std::sqrt(dot<Real>(everyone, state.z, state.z));
    return std::sqrt(everyone.sum(parallel_sum(data_->entries(), [&](Count begin, Count end) {
      double sum = 0.0;
      for (Count e = begin; e < end; ++e) {
        const double value = static_cast<double>(state.z[e]) / data_->weight(e);
        sum += value * value;
      }
      return sum;
    })));
  };
  double scale = cold ? data_->y_norm() : z_norm();
  using Ending = typename InnerSystem<Real>::Ending;
  bool solved = system_.solve(data_->y(), cold, tolerance_ * scale, Ending::kMeasured, state.z);
  for (double shown = z_norm(); solved && shown < scale / kRestart; shown = z_norm()) {
    scale = shown;
    solved = system_.solve(data_->y(), false, tolerance_ * scale, Ending::kMeasured, state.z);
  }
  const std::vector<Real>& residual = system_.residual();
  // g = 1/2 <Z,Y> + 1/2 <Z,R>;  1/2 <R, M^-1 R> stands for the unknown 1/2 <R, A^-1 R>
  state.cost = 0.5 * dot<Real>(everyone, state.z, data_->y()) + 0.5 * dot<Real>(everyone, state.z, residual);
  state.uncertainty = 0.5 * residual_products<Real>(everyone, system_.inverse_diagonal(), residual).first;
  // Y - W_Omega = Y - (A Z - Z/(2 weight)) = R + Z/(2 weight)
  state.misfit = std::sqrt(everyone.sum(parallel_sum(data_->entries(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) {
      const double weight = data_->weight(e);
      const double miss =
          static_cast<double>(residual[e]) + kRidge / weight * static_cast<double>(state.z[e]);
      sum += weight * miss * miss;
    }
    return sum;
  })));
}

template <class Real>
void DualProblem<Real>::gradient(const Point& u, const State& state, Point& out) {
  move_to(u, state);
  double squared_norm = 0.0;
  for (std::size_t p = 0; p < data_->parts().size(); ++p) {
    out[p].setZero();
    data_->parts()[p].add_gram(system_.factor(p), -data_->lambda()[p], std::span<const Real>(state.z),
                               out[p]);
    data_->everyone().sum(flat(out[p]));
    // The part of the gradient along the sphere, to steer the tolerance of the solves to come.
    // In double: the square of what single precision holds need not be in its range.
    const std::span<const Real> gradient = flat(std::as_const(out[p]));
    const double radial = dot<Real>(serial_communicator(), gradient, flat(u[p]));
    squared_norm += dot<Real>(serial_communicator(), gradient, gradient) - radial * radial;
  }
  const double relative = squared_norm > 0.0 ? std::sqrt(squared_norm) / std::abs(state.cost) : 0.0;
  tolerance_ = std::clamp(options_.forcing * relative, options_.tightest, options_.loosest);
  hessian_tolerance_ =
      std::clamp(options_.hessian_forcing * relative, options_.hessian_tightest, options_.hessian_loosest);
}

template <class Real>
void DualProblem<Real>::hessian(const Point& u, const State& state, const Point& direction, Point& out) {
  move_to(u, state);
  const std::size_t parts = data_->parts().size();
  const auto entries = static_cast<std::size_t>(data_->entries());
  const std::span<const Real> z = state.z;

  std::vector<Real>& right_side = system_.residual();
  right_side.assign(entries, Real{0});
  for (std::size_t p = 0; p < parts; ++p) {
    const PartKernels& part = data_->parts()[p];
    part.add_directional(system_.factor(p), part.table(direction[p]), -data_->lambda()[p], z,
                         std::span<Real>(right_side));
  }
  const double norm = std::sqrt(dot<Real>(data_->everyone(), right_side, right_side));
  std::vector<Real> z_dot(entries);
  system_.solve(right_side, true, hessian_tolerance_ * norm, InnerSystem<Real>::Ending::kTrusted, z_dot);

  for (std::size_t p = 0; p < parts; ++p) {
    out[p].setZero();
    const PartKernels& part = data_->parts()[p];
    part.add_gram(part.table(direction[p]), -data_->lambda()[p], z, out[p]);
    part.add_cross(system_.factor(p), -data_->lambda()[p], z, std::span<const Real>(z_dot), out[p]);
    data_->everyone().sum(flat(out[p]));
  }
}

template class DualProblem<double>;
template class DualProblem<float>;

}  // namespace lacuna
