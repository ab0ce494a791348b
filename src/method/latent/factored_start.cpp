// SPDX-License-Identifier: MIT
#include "method/latent/factored_start.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/SVD>
#include <cmath>

namespace lacuna {
namespace {

constexpr double kNegligible = 1e-12;  // of the largest eigenvalue of a Gram matrix: rounding

// G^power of a positive semidefinite matrix on its range.
Eigen::MatrixXd to_power(const Eigen::MatrixXd& gram, double power) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(gram);
  Eigen::VectorXd values = eigen.eigenvalues();
  const double largest = std::max(0.0, values.maxCoeff());
  for (double& value : values) value = value > kNegligible * largest ? std::pow(value, power) : 0.0;
  return eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
}

}  // namespace

// F = (F G^-1/2) G^1/2 with G = F'F and orthonormal columns in brackets, T likewise with H = T'T; so the SVD
// of G^1/2 H^1/2 = A S B' gives P = F G^-1/2 A.
Matrix<double> factored_start(const Matrix<double>& left, const Matrix<double>& right) {
  const Eigen::MatrixXd gram = left.transpose() * left;
  const Eigen::MatrixXd other = right.transpose() * right;
  const Eigen::MatrixXd core = to_power(gram, 0.5) * to_power(other, 0.5);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(core, Eigen::ComputeFullU);
  const double trace = svd.singularValues().sum();
  if (!(trace > 0.0))
    return Matrix<double>::Identity(left.rows(), left.cols()) /
           std::sqrt(static_cast<double>(std::min(left.rows(), left.cols())));
  const Eigen::VectorXd root = (svd.singularValues() / trace).cwiseSqrt();
  Matrix<double> start = left * (to_power(gram, -0.5) * svd.matrixU() * root.asDiagonal());
  return start / start.norm();
}

}  // namespace lacuna
