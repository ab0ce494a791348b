// SPDX-License-Identifier: MIT
// Ridge regression of numbers about positions on their side information, over the positions that have entries:
//
//   min over a, c of   sum_i w_i (b_i - a - c . phi_i)^2 + ridge |c|^2
//
// for many b and ridges: the Gram matrix G of phi about its mean is decomposed once, O(nnz q + q^3), and each
// regression is O(nnz + q^2). The result is the same bits at any thread count.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <lacuna/tensor/side_information.hpp>
#include <memory>
#include <vector>

namespace lacuna {

class SideRegression {
 public:
  struct Line {
    double constant = 0.0;  // a
    Eigen::VectorXd slope;  // c
  };

  // The line with the ridge that the data support: b_i = a + c . phi_i + e_i with c ~ N(0, explained) and
  // e ~ N(0, left), both variances by expectation-maximisation.
  struct Supported {
    Line line;
    double explained = 0.0;
    double left = 0.0;  // 0: nothing is known yet
  };

  // observed: the positions to learn from. weight: w of each, in proportion; empty: 1.
  SideRegression(std::shared_ptr<const SideInformation> side, std::vector<std::uint32_t> observed,
                 std::vector<double> weight = {});

  [[nodiscard]] std::int64_t columns() const { return side_->columns(); }
  [[nodiscard]] std::int64_t positions() const { return side_->positions(); }

  [[nodiscard]] Line flat() const { return {.constant = 0.0, .slope = Eigen::VectorXd::Zero(columns())}; }
  // value(i): b of the i-th observed position. ridge > 0.
  template <class Value>
  [[nodiscard]] Line fit(Value&& value, double ridge) const {
    Eigen::VectorXd right = Eigen::VectorXd::Zero(columns());
    double sum = 0.0;
    for (std::size_t i = 0; i < observed_.size(); ++i) {
      const double b = weight_[i] * value(i);
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

  // Some turns of the two variances.
  template <class Value>
  void support(Value&& value, int turns, Supported& found) const {
    for (int turn = 0; turn < turns; ++turn) {
      const double ridge = found.left > 0.0 ? found.left / found.explained : 1.0;
      found.line = fit(value, ridge);
      double squares = 0.0;
      for (std::size_t i = 0; i < observed_.size(); ++i) {
        const double away = value(i) - at(observed_[i], found.line);
        squares += weight_[i] * away * away;
      }
      const auto count = static_cast<double>(observed_.size());
      if (found.left == 0.0) found.left = squares / count;
      found.left = std::max((squares + found.left * shrunk_trace(ridge)) / count, 1e-30);
      const double slope = found.line.slope.squaredNorm() + found.left * inverse_trace(ridge);
      found.explained = std::max(slope / static_cast<double>(columns()), 1e-9 * found.left);
    }
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
  std::vector<double> weight_;  // of mean 1
  Eigen::VectorXd mean_;        // of phi over the observed positions
  Eigen::VectorXd gram_;        // the eigenvalues of G
  Eigen::MatrixXd vectors_;
};

}  // namespace lacuna
