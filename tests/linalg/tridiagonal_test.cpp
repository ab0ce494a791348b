// SPDX-License-Identifier: MIT
#include "linalg/tridiagonal.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <limits>

#include "base/rng.hpp"

namespace lacuna {
namespace {

struct Tridiagonal {
  Eigen::VectorXd diagonal;
  Eigen::VectorXd off_diagonal;

  [[nodiscard]] Eigen::MatrixXd matrix() const {
    Eigen::MatrixXd m = diagonal.asDiagonal();
    m.diagonal(1) = off_diagonal;
    m.diagonal(-1) = off_diagonal;
    return m;
  }
  [[nodiscard]] TridiagonalPairs above(double bound) const {
    return eigenpairs_above(bound, {diagonal.data(), static_cast<std::size_t>(diagonal.size())},
                            {off_diagonal.data(), static_cast<std::size_t>(off_diagonal.size())});
  }
};

Tridiagonal random_tridiagonal(Eigen::Index size) {
  Rng rng(71);
  Tridiagonal t{Eigen::VectorXd(size), Eigen::VectorXd(size - 1)};
  for (double& value : t.diagonal) value = rng.normal();
  for (double& value : t.off_diagonal) value = rng.normal();
  return t;
}

void expect_pairs_above(const Tridiagonal& t, double bound) {
  const Eigen::MatrixXd m = t.matrix();
  const Eigen::VectorXd all = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(m).eigenvalues();
  const TridiagonalPairs found = t.above(bound);
  const auto count = static_cast<Eigen::Index>(found.values.size());
  ASSERT_EQ(count, (all.array() > bound).count());
  const Eigen::Map<const Eigen::VectorXd> values(found.values.data(), count);
  const Eigen::Map<const Eigen::MatrixXd> vectors(found.vectors.data(), m.rows(), count);
  const double exact = 1e-13 * static_cast<double>(m.rows()) * m.norm();
  EXPECT_LT((values - all.tail(count)).norm(), exact);
  EXPECT_LT((m * vectors - vectors * values.asDiagonal()).norm(), exact);
  EXPECT_LT((vectors.transpose() * vectors - Eigen::MatrixXd::Identity(count, count)).norm(), 1e-10);
}

TEST(Tridiagonal, PairsAboveABoundSolveTheEquationAndAreOrthonormal) {
  for (const Eigen::Index size : {1, 2, 3, 40, 150})
    for (const double bound : {-100.0, -0.3, 0.0, 1.0, 100.0})
      expect_pairs_above(random_tridiagonal(size), bound);
}

// What a Gram matrix of few independent rows leaves: blocks that do not touch, values that are equal or 0.
TEST(Tridiagonal, EqualValuesHaveOrthonormalVectors) {
  Tridiagonal t{Eigen::VectorXd::Constant(30, 2.0), Eigen::VectorXd::Zero(29)};
  expect_pairs_above(t, 1.0);
  t.diagonal.tail(20).setZero();
  expect_pairs_above(t, 1.0);
  expect_pairs_above(t, 1e-9);
}

// LAPACK's count of the values above a bound and what it then finds differ when a value is the bound to
// rounding: some hundred of these matrices have such a value.
TEST(Tridiagonal, ABoundThatIsAnEigenvalueTakesNoMoreThanThereAre) {
  Rng rng(72);
  for (const double scale : {1e-200, 1e-150, 1.0})
    for (int trial = 0; trial < 300; ++trial) {
      const Eigen::Index size = 3 + trial % 6;
      Tridiagonal t{Eigen::VectorXd(size), Eigen::VectorXd(size - 1)};
      for (double& value : t.diagonal) value = scale * rng.normal();
      for (double& value : t.off_diagonal) value = scale * rng.normal();
      const std::vector<double> all = t.above(-100.0 * scale).values;
      ASSERT_EQ(all.size(), static_cast<std::size_t>(size));
      for (std::size_t i = 0; i < all.size(); ++i) {
        const TridiagonalPairs found = t.above(all[i]);
        ASSERT_EQ(found.vectors.size(), found.values.size() * all.size());
        const std::size_t above = all.size() - 1 - i;  // and the one at the bound, when it is found larger
        ASSERT_TRUE(found.values.size() == above || found.values.size() == above + 1);
        for (const double value : found.values) EXPECT_GT(value, all[i]);
        const auto count = static_cast<Eigen::Index>(found.values.size());
        const Eigen::Map<const Eigen::MatrixXd> vectors(found.vectors.data(), size, count);
        EXPECT_LT((vectors.transpose() * vectors - Eigen::MatrixXd::Identity(count, count)).norm(), 1e-10);
      }
    }
}

TEST(Tridiagonal, ScaleDoesNotMatter) {
  for (const double scale : {1e-120, 1e120}) {
    Tridiagonal t = random_tridiagonal(25);
    const std::size_t count = t.above(0.5).values.size();
    t.diagonal *= scale;
    t.off_diagonal *= scale;
    EXPECT_EQ(t.above(0.5 * scale).values.size(), count);
  }
}

TEST(Tridiagonal, WhatIsNotFiniteHasNoPairs) {
  Tridiagonal t = random_tridiagonal(5);
  t.diagonal(2) = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(t.above(0.0).values.empty());
  EXPECT_TRUE(eigenpairs_above(0.0, {}, {}).values.empty());
}

}  // namespace
}  // namespace lacuna
