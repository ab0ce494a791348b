// SPDX-License-Identifier: MIT
#include "linalg/decompose.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>

namespace lacuna {

SymmetricEigen symmetric_eigen(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> solver(matrix);
  return {.values = solver.eigenvalues(), .vectors = solver.eigenvectors()};
}

ThinQr thin_qr(const Eigen::MatrixXd& columns) {
  const Eigen::Index rank = std::min(columns.rows(), columns.cols());
  const Eigen::HouseholderQR<Eigen::MatrixXd> solver(columns);
  return {.q = solver.householderQ() * Eigen::MatrixXd::Identity(columns.rows(), rank),
          .r = solver.matrixQR().topRows(rank).triangularView<Eigen::Upper>()};
}

ThinSvd thin_svd(const Eigen::MatrixXd& matrix) {
  const Eigen::JacobiSVD<Eigen::MatrixXd> solver(matrix, Eigen::ComputeThinU | Eigen::ComputeThinV);
  return {.u = solver.matrixU(), .values = solver.singularValues(), .v = solver.matrixV()};
}

}  // namespace lacuna
