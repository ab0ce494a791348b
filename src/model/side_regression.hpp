// SPDX-License-Identifier: MIT
// Ridge regression of numbers about positions on their side information, over the positions that have entries:
//
//   min over a, c of   sum_i (b_i - a - c . phi_i)^2 + ridge |c|^2
//
// for many b and ridges: the Gram matrix G of phi about its mean is decomposed once, O(nnz q + q^3), and each
// regression is O(nnz + q^2). The result is the same bits at any thread count.
#pragma once

#include <Eigen/Core>
#include <cmath>
#include <lacuna/tensor/tensor.hpp>
#include <memory>
#include <vector>

namespace lacuna {

class SideRegression {
 public:
  struct Line {
    double constant = 0.0;  // a
    Eigen::VectorXd slope;  // c
  };

  // observed: the positions to learn from.
  SideRegression(std::shared_ptr<const SideInformation> side, std::vector<std::uint32_t> observed);

  [[nodiscard]] std::int64_t columns() const { return side_->columns(); }
  [[nodiscard]] std::int64_t positions() const { return side_->positions(); }
  [[nodiscard]] std::size_t observed() const { return observed_.size(); }
  [[nodiscard]] Line flat() const { return {.constant = 0.0, .slope = Eigen::VectorXd::Zero(columns())}; }
  // value(i): b of the i-th observed position. ridge > 0.
  template <class Value>
  [[nodiscard]] Line fit(Value&& value, double ridge) const {
    Eigen::VectorXd right = Eigen::VectorXd::Zero(columns());
    double sum = 0.0;
    for (std::size_t i = 0; i < observed_.size(); ++i) {
      const double b = value(i);
      sum += b;
      for (std::int64_t j = side_->start[observed_[i]]; j < side_->start[observed_[i] + 1]; ++j)
        right(side_->column[j]) += b * side_->value[j];
    }
    return solve(right, sum, ridge);
  }
  // a + c . phi_i of a position.
  [[nodiscard]] double at(std::int64_t position, const Line& line) const {
    double sum = line.constant;
    for (std::int64_t j = side_->start[position]; j < side_->start[position + 1]; ++j)
      sum += side_->value[j] * line.slope(side_->column[j]);
    return sum;
  }

  // The trace of (G + ridge)^-1, of G (G + ridge)^-1, and the logarithm of the determinant of G + ridge.
  [[nodiscard]] double inverse_trace(double ridge) const { return (gram_.array() + ridge).inverse().sum(); }
  [[nodiscard]] double shrunk_trace(double ridge) const {
    return (gram_.array() / (gram_.array() + ridge)).sum();
  }
  [[nodiscard]] double log_determinant(double ridge) const { return (gram_.array() + ridge).log().sum(); }

 private:
  [[nodiscard]] Line solve(const Eigen::VectorXd& right, double sum, double ridge) const;

  std::shared_ptr<const SideInformation> side_;
  std::vector<std::uint32_t> observed_;
  Eigen::VectorXd mean_;  // of phi over the observed positions
  Eigen::VectorXd gram_;  // the eigenvalues of G
  Eigen::MatrixXd vectors_;
};

}  // namespace lacuna
