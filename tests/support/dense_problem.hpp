// SPDX-License-Identifier: MIT
// Problems D and P written down with dense matrices, straight from their formulas.
#pragma once

#include <Eigen/Cholesky>
#include <vector>

#include "support/naive.hpp"
#include "support/problem_case.hpp"

namespace lacuna::test {

using Factors = std::vector<Matrix<double>>;

class DenseProblem {
 public:
  explicit DenseProblem(const ProblemCase<double>& problem)
      : lambda_(problem.data.lambda()),
        y_(Eigen::Map<const Eigen::VectorXd>(problem.tensor.values().data(), problem.tensor.size())),
        weight_(y_.size()) {
    for (Eigen::Index e = 0; e < y_.size(); ++e) weight_(e) = problem.tensor.weight(e);
    for (const PartKernels& part : problem.data.parts()) parts_.emplace_back(problem.tensor, part.part());
  }

  [[nodiscard]] const Eigen::VectorXd& y() const { return y_; }
  [[nodiscard]] const Eigen::VectorXd& weight() const { return weight_; }

  // The matrix of z -> sum_p lambda_p (Z x_k (U_p V_p'))_Omega
  [[nodiscard]] Eigen::MatrixXd kernel(const Factors& u, const Factors& v) const {
    Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(y_.size(), y_.size());
    for (std::size_t p = 0; p < parts_.size(); ++p) parts_[p].add_dense(u[p], v[p], lambda_[p], matrix);
    return matrix;
  }
  // A(u) = 1/2 diag(weight)^-1 + kernel
  [[nodiscard]] Eigen::MatrixXd system(const Factors& u) const {
    Eigen::MatrixXd matrix = kernel(u, u);
    matrix.diagonal() += 0.5 * weight_.cwiseInverse();
    return matrix;
  }
  [[nodiscard]] Eigen::VectorXd solve(const Factors& u, const Eigen::VectorXd& right_side) const {
    return system(u).ldlt().solve(right_side);
  }

  // -lambda_p Z_p Z_p' U_p
  [[nodiscard]] Factors dual_gradient(const Factors& u) const {
    const Eigen::VectorXd z = solve(u, y_);
    Factors gradient;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Eigen::MatrixXd z_p = parts_[p].unfolding(z);
      gradient.emplace_back(-lambda_[p] * (z_p * (z_p.transpose() * u[p])));
    }
    return gradient;
  }
  // Z_p Z_p' of every part
  [[nodiscard]] std::vector<Eigen::MatrixXd> grams(const Eigen::VectorXd& z) const {
    std::vector<Eigen::MatrixXd> products;
    for (const NaivePart& part : parts_) {
      const Eigen::MatrixXd z_p = part.unfolding(z);
      products.emplace_back(z_p * z_p.transpose());
    }
    return products;
  }
  [[nodiscard]] Factors dual_hessian(const Factors& u, const Factors& v) const {
    const Eigen::VectorXd z = solve(u, y_);
    const Eigen::VectorXd z_dot = solve(u, -(kernel(u, v) + kernel(v, u)) * z);
    Factors product;
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const Eigen::MatrixXd z_p = parts_[p].unfolding(z);
      const Eigen::MatrixXd d_p = parts_[p].unfolding(z_dot);
      product.emplace_back(-lambda_[p] * (z_p * z_p.transpose() * v[p] +
                                          (d_p * z_p.transpose() + z_p * d_p.transpose()) * u[p]));
    }
    return product;
  }

  // R = kernel z - y, z being the last of x
  [[nodiscard]] Eigen::VectorXd primal_residual(const Factors& x) const {
    return kernel(x, x) * x.back() - y_;
  }
  // h = sum_e weight_e R_e^2
  [[nodiscard]] double primal_cost(const Factors& x) const {
    return weight_.dot(primal_residual(x).cwiseAbs2());
  }
  [[nodiscard]] Factors primal_gradient(const Factors& x) const {
    const Eigen::VectorXd r = weight_.cwiseProduct(primal_residual(x));
    Factors gradient;
    for (std::size_t p = 0; p < parts_.size(); ++p)
      gradient.emplace_back(2 * lambda_[p] * (symmetric(p, r, x.back()) * x[p]));
    gradient.emplace_back(2 * kernel(x, x) * r);
    return gradient;
  }
  [[nodiscard]] Factors primal_hessian(const Factors& x, const Factors& v) const {
    const Eigen::VectorXd z = x.back();
    const Eigen::VectorXd z_dot = v.back();
    const Eigen::VectorXd r = weight_.cwiseProduct(primal_residual(x));
    const Eigen::MatrixXd kernel_dot = kernel(x, v) + kernel(v, x);
    const Eigen::VectorXd r_dot = weight_.cwiseProduct(kernel(x, x) * z_dot + kernel_dot * z);
    Factors product;
    for (std::size_t p = 0; p < parts_.size(); ++p)
      product.emplace_back(
          2 * lambda_[p] *
          ((symmetric(p, r_dot, z) + symmetric(p, r, z_dot)) * x[p] + symmetric(p, r, z) * v[p]));
    product.emplace_back(2 * (kernel(x, x) * r_dot + kernel_dot * r));
    return product;
  }

 private:
  // A_p B_p' + B_p A_p'
  [[nodiscard]] Eigen::MatrixXd symmetric(std::size_t p, const Eigen::VectorXd& a,
                                          const Eigen::VectorXd& b) const {
    const Eigen::MatrixXd product = parts_[p].unfolding(a) * parts_[p].unfolding(b).transpose();
    return product + product.transpose();
  }

  std::vector<double> lambda_;
  Eigen::VectorXd y_;
  Eigen::VectorXd weight_;
  std::vector<NaivePart> parts_;
};

}  // namespace lacuna::test
