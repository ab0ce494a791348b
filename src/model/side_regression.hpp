// SPDX-License-Identifier: MIT
// Ridge regression of numbers about positions on their side information, over the positions that have entries:
//
//   c = argmin sum_i (b_i - phi_i . c)^2 + ridge |c|^2
//
// for many b and ridges: the Gram matrix of phi is decomposed once, O(nnz q + q^3), and each regression is
// O(nnz + q^2). The result is the same bits at any thread count.
#pragma once

#include <Eigen/Core>
#include <lacuna/tensor/side_information.hpp>
#include <memory>
#include <vector>

namespace lacuna {

class SideRegression {
 public:
  // observed: the positions to learn from.
  SideRegression(std::shared_ptr<const SideInformation> side, std::vector<std::uint32_t> observed);

  [[nodiscard]] std::int64_t columns() const { return side_->columns(); }
  [[nodiscard]] std::int64_t positions() const { return side_->positions(); }
  // value(i): b of the i-th observed position. ridge > 0.
  template <class Value>
  [[nodiscard]] Eigen::VectorXd fit(Value&& value, double ridge) const {
    Eigen::VectorXd right = Eigen::VectorXd::Zero(columns());
    for (std::size_t i = 0; i < observed_.size(); ++i) {
      const double b = value(i);
      for (std::int64_t j = side_->start[observed_[i]]; j < side_->start[observed_[i] + 1]; ++j)
        right(side_->column[j]) += b * side_->value[j];
    }
    return solve(right, ridge);
  }
  // phi_i . c of a position.
  [[nodiscard]] double at(std::int64_t position, const Eigen::VectorXd& c) const {
    double sum = 0.0;
    for (std::int64_t j = side_->start[position]; j < side_->start[position + 1]; ++j)
      sum += side_->value[j] * c(side_->column[j]);
    return sum;
  }
  // The trace of (Phi' Phi + ridge)^-1.
  [[nodiscard]] double inverse_trace(double ridge) const {
    return (eigenvalues_.array() + ridge).inverse().sum();
  }

 private:
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& right, double ridge) const;

  std::shared_ptr<const SideInformation> side_;
  std::vector<std::uint32_t> observed_;
  Eigen::VectorXd eigenvalues_;
  Eigen::MatrixXd eigenvectors_;
};

}  // namespace lacuna
