// SPDX-License-Identifier: MIT
#include "problem/tucker_problem.hpp"

#include <cmath>

#include "base/parallel.hpp"
#include "kernels/tucker_kernels.hpp"

namespace lacuna {

TuckerProblem::TuckerProblem(const ObservedTensor& tensor, const Communicator& everyone)
    : tensor_(&tensor),
      everyone_(&everyone),
      total_weight_(everyone.sum(tensor.total_weight())),
      mean_weight_(total_weight_ / everyone.sum(static_cast<double>(tensor.size()))),
      data_norm_(std::sqrt(weighted_dot(tensor.values(), tensor.values()) / mean_weight_)) {}

double TuckerProblem::weighted_dot(std::span<const double> a, std::span<const double> b) const {
  if (tensor_->weights().empty()) return dot<double>(*everyone_, a, b);
  return everyone_->sum(parallel_sum(tensor_->size(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) sum += tensor_->weight(e) * a[e] * b[e];
    return sum;
  }));
}

void TuckerProblem::evaluate(const Tucker& x, const State*, State& state) const {
  state.residual.resize(static_cast<std::size_t>(tensor_->size()));
  for (std::size_t e = 0; e < state.residual.size(); ++e) state.residual[e] = -tensor_->values()[e];
  add_values(x, tensor_->cells(), state.residual);
  state.cost = 0.5 * weighted_dot(state.residual, state.residual);
}

void TuckerProblem::gradient(const Tucker& x, const State& state, Tucker& out) const {
  if (tensor_->weights().empty()) {
    add_gradient(x, tensor_->cells(), state.residual, out);
  } else {
    std::vector<double> weighted = state.residual;
    for (Count e = 0; e < tensor_->size(); ++e) weighted[e] *= tensor_->weight(e);
    add_gradient(x, tensor_->cells(), weighted, out);
  }
  everyone_->sum(std::span<double>(out.core.data(), static_cast<std::size_t>(out.core.size())));
  for (Matrix<double>& factor : out.factors) everyone_->sum(flat(factor));
}

double TuckerProblem::step_length(const Tucker& x, const State& state, const Tucker& u) const {
  std::vector<double> along(state.residual.size(), 0.0);
  add_derivatives(x, u, tensor_->cells(), along);
  return -weighted_dot(state.residual, along) / weighted_dot(along, along);
}

double TuckerProblem::train_rmse(const State& state) const {
  return std::sqrt(2.0 * state.cost / total_weight_);
}

}  // namespace lacuna
