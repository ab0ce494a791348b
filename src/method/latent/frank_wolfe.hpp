// SPDX-License-Identifier: MIT
// Tensor completion within a ball of the scaled latent trace norm, by the Frank-Wolfe algorithm (Guo, Yao,
// Kwok 2017, "Efficient Sparse Low-Rank Tensor Completion Using the Frank-Wolfe Algorithm"):
//
//   min f(X) = 1/2 sum_e w_e (Y_e - X_e)^2   subject to   ||X|| <= tau
//   ||X|| = min over X = sum_k X_k of sum_k ||X_k(k)||_* / sqrt(n_k)
//
// The ball's corners are tau sqrt(n_k) u v', a rank-one matrix folded along some mode k. The one that the
// gradient -z, z_e = w_e (Y_e - X_e), points to most belongs to the mode of the largest sqrt(n_k) sigma_k, u
// and v the leading singular vectors of Z_k. z is 0 off Omega, so v is 0 off the observed fibers: it is
// kept there only, and X is never made but at the entries. A step costs some dozen passes over the entries
// for each mode; memory is O(N) plus a number for each kept column and fiber.
#pragma once

#include <lacuna/base/base.hpp>
#include <optional>

#include "base/archive.hpp"
#include "model/latent.hpp"
#include "problem/problem_data.hpp"

namespace lacuna {

class FrankWolfe {
 public:
  // The tensor must outlive this. The bound is tau = lambda/4 ||a u v'||, where a u v' is the multiple of
  // the first step's corner that is closest to Y: lambda/4 components of the size of the leading one.
  FrankWolfe(const ObservedTensor& tensor, double lambda);

  // The corner of the ball where <z, .> is largest, up to the factor tau.
  struct Corner {
    std::size_t mode = 0;
    double value = 0.0;  // <z, sqrt(n_k) u v'>, or hardly more
    Matrix<double> u{};  // n_k x 1
    Matrix<double> v{};  // fibers x 1, unit length
  };
  // Nothing when interrupted.
  [[nodiscard]] std::optional<Corner> best_corner(const Interrupted& interrupted) const;

  // Moves towards the corner as far as the objective falls.
  void step(const Corner& to);
  // One step of projected gradients on the span of every part's columns, within the trace norm it has;
  // columns whose singular values that takes to 0 are gone.
  void reduce();

  [[nodiscard]] double objective() const;
  [[nodiscard]] double objective_at_zero() const { return 0.5 * data_.weighted_square(); }
  // max over the ball of <z, S - X>, not below f(X) - min f; `best` belongs to this X.
  [[nodiscard]] double gap(const Corner& best) const;
  [[nodiscard]] double train_rmse() const;
  [[nodiscard]] double tau() const { return tau_; }
  [[nodiscard]] Count columns() const;
  [[nodiscard]] double norm() const;                                   // ||X||, or more
  [[nodiscard]] std::span<const double> values() const { return x_; }  // X at the entries
  [[nodiscard]] std::span<const double> residual() const { return z_; }
  [[nodiscard]] std::span<const PartKernels> kernels() const { return data_.parts().all(); }

  // All that steps change, between two of them.
  void fields(Archive& archive);

  // The parts X_k = U_k V_k' as they are.
  [[nodiscard]] ModelPart part(std::size_t k) const;

 private:
  // X_k = u s v', the columns of u and of v orthonormal. Not always as many of each: what a corner adds may
  // be in the span of one of them.
  struct Basis {
    Matrix<double> u;
    Matrix<double> v;
    Eigen::MatrixXd s;

    template <class A>
    void fields(A& archive) {
      archive("u", u);
      archive("v", v);
      archive("s", s);
    }
  };

  void refresh_residual();
  void project(std::size_t k);

  const ObservedTensor* tensor_;
  ProblemData<double> data_;
  std::vector<Basis> basis_;
  std::vector<double> x_;
  std::vector<double> z_;
  double heaviest_ = 1.0;  // weight of an entry
  double tau_ = 0.0;
};

}  // namespace lacuna
