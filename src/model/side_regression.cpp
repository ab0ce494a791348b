// SPDX-License-Identifier: MIT
#include "model/side_regression.hpp"

#include "linalg/decompose.hpp"

namespace lacuna {

SideRegression::SideRegression(std::shared_ptr<const SideInformation> side,
                               std::vector<std::uint32_t> observed)
    : side_(std::move(side)), observed_(std::move(observed)), mean_(Eigen::VectorXd::Zero(columns())) {
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(columns(), columns());
  for (const std::uint32_t i : observed_)
    for (std::int64_t j = side_->start[i]; j < side_->start[i + 1]; ++j) {
      mean_(side_->column[j]) += side_->value[j];
      for (std::int64_t k = side_->start[i]; k <= j; ++k)  // columns ascend: the lower triangle
        gram(side_->column[j], side_->column[k]) += side_->value[j] * side_->value[k];
    }
  const auto count = static_cast<double>(observed_.size());
  mean_ /= count;
  gram -= count * mean_ * mean_.transpose();
  SymmetricEigen eigen = symmetric_eigen(gram);
  gram_ = eigen.values.cwiseMax(0.0);
  vectors_ = std::move(eigen.vectors);
}

SideRegression::Line SideRegression::solve(const Eigen::VectorXd& right, double sum, double ridge) const {
  const Eigen::VectorXd turned = vectors_.transpose() * (right - sum * mean_);
  Line line{.constant = 0.0, .slope = vectors_ * (turned.array() / (gram_.array() + ridge)).matrix()};
  line.constant = sum / static_cast<double>(observed_.size()) - line.slope.dot(mean_);
  return line;
}

}  // namespace lacuna
