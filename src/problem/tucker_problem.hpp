// SPDX-License-Identifier: MIT
// Least squares on the observed entries over Tucker tensors:
//
//   f(X) = 1/2 sum_{e in Omega} w_e (X_e - Y_e)^2
//
// Gives derivatives with respect to core and factors; the manifold turns them into Riemannian gradients.
// Every call costs one pass over the entries and O(N + sum_k n_k r_k + r_1 ... r_K) memory.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <vector>

#include "dist/communicator.hpp"
#include "linalg/tucker.hpp"

namespace lacuna {

class TuckerProblem {
 public:
  struct State {
    std::vector<double> residual;  // X_e - Y_e
    double cost = 0.0;

    template <class A>
    void fields(A& archive) {
      archive("residual", residual);
      archive("cost", cost);
    }
  };

  // The tensor must outlive the problem.
  explicit TuckerProblem(const ObservedTensor& tensor, const Communicator& everyone = serial_communicator());

  void evaluate(const Tucker& x, const State* near, State& state) const;
  // A state of a point that was evaluated elsewhere: its numbers are to follow.
  void adopt(State& state) const { state.residual.assign(static_cast<std::size_t>(tensor_->size()), 0.0); }
  [[nodiscard]] double cost(const State& state) const { return state.cost; }
  [[nodiscard]] double uncertainty(const State&) const { return 0.0; }
  // The gradient with respect to the core at X = 0 is (W Y) x_k U_k' with orthonormal factors: of about this
  // norm.
  [[nodiscard]] double gradient_scale(const State&) const { return mean_weight_ * data_norm_; }
  void gradient(const Tucker& x, const State& state, Tucker& out) const;
  // The minimiser of f along t u with X linearised: t = -<W residual, a> / <W a, a>, a = D X[u] on Omega.
  [[nodiscard]] double step_length(const Tucker& x, const State& state, const Tucker& u) const;

  [[nodiscard]] double train_rmse(const State& state) const;
  // The norm of Y on Omega: (sum w_e Y_e^2 / mean w)^1/2, which has the unit of Y.
  [[nodiscard]] double data_norm() const { return data_norm_; }

 private:
  // sum w_e a_e b_e
  [[nodiscard]] double weighted_dot(std::span<const double> a, std::span<const double> b) const;

  const ObservedTensor* tensor_;
  const Communicator* everyone_;
  double total_weight_;
  double mean_weight_;
  double data_norm_;
};

}  // namespace lacuna
