// SPDX-License-Identifier: MIT
#include "method/latent/factored_start.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <Eigen/SVD>

#include "base/rng.hpp"

namespace lacuna {
namespace {

Matrix<double> random_factor(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed) {
  Rng rng(seed);
  return Matrix<double>::NullaryExpr(rows, columns, [&] { return rng.normal(); });
}

TEST(FactoredStart, IsTheKernelOfTheTraceNorm) {
  const Matrix<double> left = random_factor(12, 3, 1);
  const Matrix<double> right = random_factor(20, 3, 2);
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(left * right.transpose(), Eigen::ComputeThinU);
  const Eigen::VectorXd share = svd.singularValues() / svd.singularValues().sum();
  const Eigen::MatrixXd theta = svd.matrixU() * share.asDiagonal() * svd.matrixU().transpose();
  const Matrix<double> u = factored_start(left, right);
  ASSERT_EQ(u.cols(), 3);
  EXPECT_LT((u * u.transpose() - theta).norm(), 1e-10);
  EXPECT_NEAR(u.norm(), 1.0, 1e-12);
}

// F M and T M^-T are the same part.
TEST(FactoredStart, DependsOnTheProductOnly) {
  const Matrix<double> left = random_factor(9, 4, 3);
  const Matrix<double> right = random_factor(15, 4, 4);
  const Eigen::MatrixXd mixed = random_factor(4, 4, 5);
  const Matrix<double> u = factored_start(left, right);
  const Matrix<double> v = factored_start(left * mixed, right * mixed.inverse().transpose());
  EXPECT_LT((u * u.transpose() - v * v.transpose()).norm(), 1e-8);
}

TEST(FactoredStart, LowerRankAndZeroAreFinite) {
  Matrix<double> left = random_factor(9, 4, 6);
  left.col(2) = left.col(0);
  left.col(3).setZero();
  const Matrix<double> right = random_factor(15, 4, 7);
  const Matrix<double> u = factored_start(left, right);
  EXPECT_TRUE(u.allFinite());
  EXPECT_NEAR(u.norm(), 1.0, 1e-12);
  const Matrix<double> nothing = factored_start(0.0 * left, right);
  EXPECT_TRUE(nothing.allFinite());
  EXPECT_NEAR(nothing.norm(), 1.0, 1e-12);
}

}  // namespace
}  // namespace lacuna
