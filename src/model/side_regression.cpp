// SPDX-License-Identifier: MIT
#include "model/side_regression.hpp"

#include "linalg/decompose.hpp"

namespace lacuna {

SideRegression::SideRegression(std::shared_ptr<const SideInformation> side,
                               std::vector<std::uint32_t> observed)
    : side_(std::move(side)), observed_(std::move(observed)) {
  Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(columns(), columns());
  for (const std::uint32_t i : observed_)
    for (std::int64_t j = side_->start[i]; j < side_->start[i + 1]; ++j)
      for (std::int64_t k = side_->start[i]; k <= j; ++k)  // columns ascend: the lower triangle
        gram(side_->column[j], side_->column[k]) += side_->value[j] * side_->value[k];
  SymmetricEigen eigen = symmetric_eigen(gram);
  eigenvalues_ = eigen.values.cwiseMax(0.0);
  eigenvectors_ = std::move(eigen.vectors);
}

Eigen::VectorXd SideRegression::solve(const Eigen::VectorXd& right, double ridge) const {
  const Eigen::VectorXd turned = eigenvectors_.transpose() * right;
  return eigenvectors_ * (turned.array() / (eigenvalues_.array() + ridge)).matrix();
}

}  // namespace lacuna
