// SPDX-License-Identifier: MIT
#include "linalg/decompose.hpp"

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace lacuna {
namespace {

constexpr double kExact = 1e-12;

Eigen::MatrixXd random_matrix(Eigen::Index rows, Eigen::Index columns) {
  Rng rng(7);
  Eigen::MatrixXd matrix(rows, columns);
  for (double& value : matrix.reshaped()) value = rng.normal();
  return matrix;
}

void expect_orthonormal(const Eigen::MatrixXd& columns) {
  EXPECT_LT(
      (columns.transpose() * columns - Eigen::MatrixXd::Identity(columns.cols(), columns.cols())).norm(),
      kExact);
}

TEST(Decompose, EigenpairsAscendAndReadTheLowerTriangle) {
  const Eigen::MatrixXd square = random_matrix(6, 6);
  const Eigen::MatrixXd symmetric = square + square.transpose();
  Eigen::MatrixXd lower = symmetric;
  lower.triangularView<Eigen::StrictlyUpper>().setConstant(99.0);
  const SymmetricEigen eigen = symmetric_eigen(lower);
  expect_orthonormal(eigen.vectors);
  EXPECT_LT((symmetric * eigen.vectors - eigen.vectors * eigen.values.asDiagonal()).norm(), 10 * kExact);
  for (Eigen::Index i = 1; i < eigen.values.size(); ++i) EXPECT_LE(eigen.values(i - 1), eigen.values(i));
}

TEST(Decompose, QrOfTallAndWide) {
  for (const auto& [rows, columns] : {std::pair{9, 4}, std::pair{4, 9}, std::pair{5, 1}}) {
    const Eigen::MatrixXd matrix = random_matrix(rows, columns);
    const ThinQr qr = thin_qr(matrix);
    ASSERT_EQ(qr.q.cols(), std::min(rows, columns));
    expect_orthonormal(qr.q);
    EXPECT_LT((qr.q * qr.r - matrix).norm(), 10 * kExact);
    EXPECT_EQ(qr.r.triangularView<Eigen::StrictlyLower>().toDenseMatrix().norm(), 0.0);
  }
}

TEST(Decompose, SvdOfTallAndWideDescends) {
  for (const auto& [rows, columns] : {std::pair{9, 4}, std::pair{4, 9}}) {
    const Eigen::MatrixXd matrix = random_matrix(rows, columns);
    const ThinSvd svd = thin_svd(matrix);
    expect_orthonormal(svd.u);
    expect_orthonormal(svd.v);
    EXPECT_LT((svd.u * svd.values.asDiagonal() * svd.v.transpose() - matrix).norm(), 10 * kExact);
    for (Eigen::Index i = 1; i < svd.values.size(); ++i) EXPECT_GE(svd.values(i - 1), svd.values(i));
  }
}

}  // namespace
}  // namespace lacuna
