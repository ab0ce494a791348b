// SPDX-License-Identifier: MIT
#include "linalg/svt.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>

#include "base/machine.hpp"
#include "linalg/svt_kernels.hpp"
#include "linalg/unfold.hpp"
#include "support/tucker_tensor.hpp"

namespace lacuna {
namespace {

Eigen::MatrixXd random_dense(Eigen::Index rows, Eigen::Index cols, Rng& rng) {
  Eigen::MatrixXd x(rows, cols);
  for (double& value : x.reshaped()) value = rng.normal();
  return x;
}

TEST(Unfold, RowsAreSlicesAndFoldingUndoesIt) {
  const Shape shape = {3, 4, 2, 5};
  std::vector<double> x(static_cast<std::size_t>(cell_count(shape)));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<double>(i);
  for (int k = 0; k < 4; ++k) {
    const Eigen::MatrixXd unfolding = unfold(x, shape, k);
    ASSERT_EQ(unfolding.rows(), shape[k]);
    for (std::size_t c = 0; c < x.size(); ++c) {
      const std::vector<Index> cell = test::cell_of(c, {3, 4, 2, 5});
      std::size_t at = 0, column = 0, stride = 1, others = 1;
      for (int j = 0; j < 4; ++j) {
        at += stride * cell[j];
        stride *= static_cast<std::size_t>(shape[j]);
        if (j == k) continue;
        column += others * cell[j];
        others *= static_cast<std::size_t>(shape[j]);
      }
      EXPECT_EQ(unfolding(cell[k], static_cast<Eigen::Index>(column)), x[at]);
    }
    std::vector<double> back(x.size());
    fold(unfolding, shape, k, back);
    EXPECT_EQ(back, x);
  }
}

// Z is the minimiser exactly when (X - Z) / tau is a subgradient of the nuclear norm at Z: U V' + W with
// U' W = 0, W V = 0, ||W|| <= 1.
TEST(SingularValueThresholding, LeavesASubgradientOfTheNuclearNorm) {
  Rng rng(61);
  for (const auto& [rows, cols] : {std::pair{6, 9}, {9, 6}, {5, 5}, {1, 7}}) {
    const Eigen::MatrixXd x = random_dense(rows, cols, rng);
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(x, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const auto sigma = svd.singularValues();
    const double tau = 0.7 * sigma(0);
    Eigen::MatrixXd z = x;
    const double norm = threshold_singular_values(z, tau);
    const auto kept = (sigma.array() > tau).count();
    EXPECT_NEAR(norm, (sigma.array() - tau).max(0.0).sum(), 1e-12 * sigma(0));
    const Eigen::MatrixXd u = svd.matrixU().leftCols(kept);
    const Eigen::MatrixXd v = svd.matrixV().leftCols(kept);
    const Eigen::MatrixXd w = (x - z) / tau - u * v.transpose();
    EXPECT_LT((u.transpose() * w).norm(), 1e-10);
    EXPECT_LT((w * v).norm(), 1e-10);
    EXPECT_LE(Eigen::BDCSVD<Eigen::MatrixXd>(w).singularValues()(0), 1.0 + 1e-10);
  }
}

TEST(SingularValueThresholding, NoPointNearbyIsBetter) {
  Rng rng(62);
  const Eigen::MatrixXd x = random_dense(4, 5, rng);
  constexpr double kTau = 0.8;
  const auto cost = [&](const Eigen::MatrixXd& z) {
    return kTau * Eigen::BDCSVD<Eigen::MatrixXd>(z).singularValues().sum() + 0.5 * (z - x).squaredNorm();
  };
  Eigen::MatrixXd z = x;
  (void)threshold_singular_values(z, kTau);
  for (int trial = 0; trial < 200; ++trial)
    EXPECT_LE(cost(z), cost(z + std::pow(10.0, -trial % 5) * random_dense(4, 5, rng)));
}

TEST(SingularValueThresholding, ZeroAndHugeThresholds) {
  Rng rng(63);
  const Eigen::MatrixXd x = random_dense(4, 5, rng);
  Eigen::MatrixXd same = x;
  (void)threshold_singular_values(same, 0.0);
  EXPECT_LT((same - x).norm(), 1e-12);
  Eigen::MatrixXd gone = x;
  EXPECT_EQ(threshold_singular_values(gone, 1e3), 0.0);
  EXPECT_EQ(gone.norm(), 0.0);
}

// What is kept, of few columns and of many, takes two ways; both against the decomposition itself.
template <class MatrixType, class Threshold>
void expect_thresholded(Eigen::Index rows, Eigen::Index cols, Threshold&& threshold) {
  Rng rng(64);
  MatrixType x(rows, cols);
  for (auto& value : x.reshaped()) {
    value = rng.normal();
    if constexpr (!std::is_same_v<typename MatrixType::Scalar, double>) value.imag(rng.normal());
  }
  const Eigen::BDCSVD<MatrixType> svd(x, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const Eigen::VectorXd sigma = svd.singularValues();
  for (const Eigen::Index kept : {Eigen::Index{1}, sigma.size() - 1}) {
    const double tau = 0.5 * (sigma(kept - 1) + sigma(kept));
    const Eigen::VectorXd left = (sigma.array() - tau).max(0.0);
    MatrixType z = x;
    const double norm = rows <= cols ? threshold(z.data(), 1, rows, cols, tau, 0)
                                     : threshold(z.data(), rows, cols, 1, tau, 0);
    EXPECT_NEAR(norm, left.sum(), 1e-11 * sigma(0));
    EXPECT_LT((z - svd.matrixU() * left.asDiagonal() * svd.matrixV().adjoint()).norm(), 1e-11 * sigma(0));
  }
}

TEST(SingularValueThresholding, EveryInstructionSetThresholdsTheDecomposition) {
  const auto plain = [](auto... of) { return baseline::threshold(of...); };
  const auto wide = [](auto... of) { return avx2::threshold(of...); };
  for (const auto& [rows, cols] : {std::pair{13, 700}, {1100, 13}, {17, 17}}) {
    expect_thresholded<Eigen::MatrixXd>(rows, cols, plain);
    expect_thresholded<Eigen::MatrixXcd>(rows, cols, plain);
    if (!machine_has_avx2()) continue;
    expect_thresholded<Eigen::MatrixXd>(rows, cols, wide);
    expect_thresholded<Eigen::MatrixXcd>(rows, cols, wide);
  }
}

// The twin: every singular value on its own.
TEST(SingularValueThresholding, TheLargestThatAreAboveStayAsTheyAre) {
  Rng rng(66);
  for (const auto& [rows, cols] : {std::pair{7, 40}, {40, 7}, {9, 9}}) {
    const Eigen::MatrixXd x = random_dense(rows, cols, rng);
    const Eigen::BDCSVD<Eigen::MatrixXd> svd(x, Eigen::ComputeThinU | Eigen::ComputeThinV);
    const Eigen::VectorXd sigma = svd.singularValues();
    for (const Eigen::Index above : {Eigen::Index{0}, Eigen::Index{2}, Eigen::Index{5}, sigma.size()})
      for (const Eigen::Index unshrunk : {0, 1, 3, 100}) {
        const double tau = above == 0              ? 1.1 * sigma(0)
                           : above == sigma.size() ? 0.5 * sigma(above - 1)
                                                   : 0.5 * (sigma(above - 1) + sigma(above));
        Eigen::VectorXd left = Eigen::VectorXd::Zero(sigma.size());
        double norm = 0.0;
        for (Eigen::Index i = 0; i < sigma.size(); ++i) {
          if (sigma(i) > tau) left(i) = i < unshrunk ? sigma(i) : sigma(i) - tau;
          if (i >= unshrunk) norm += left(i);
        }
        Eigen::MatrixXd z = x;
        EXPECT_NEAR(threshold_singular_values(z, tau, unshrunk), norm, 1e-11 * sigma(0));
        EXPECT_LT((z - svd.matrixU() * left.asDiagonal() * svd.matrixV().transpose()).norm(),
                  1e-11 * sigma(0))
            << rows << " x " << cols << ", " << above << " above, " << unshrunk << " unshrunk";
      }
  }
}

// Its function, by trial: no point nearby is better.
TEST(SingularValueThresholding, UnshrunkValuesCostHalfTheThresholdEach) {
  Rng rng(67);
  constexpr double kTau = 0.8;
  constexpr Eigen::Index kUnshrunk = 2;
  const Eigen::MatrixXd x = random_dense(4, 5, rng);
  const auto cost = [&](const Eigen::MatrixXd& z) {
    const Eigen::VectorXd sigma = Eigen::BDCSVD<Eigen::MatrixXd>(z).singularValues();
    double sum = 0.5 * (z - x).squaredNorm();
    for (Eigen::Index i = 0; i < sigma.size(); ++i)
      sum += i >= kUnshrunk ? kTau * sigma(i) : sigma(i) > 1e-9 ? 0.5 * kTau * kTau : 0.0;
    return sum;
  };
  Eigen::MatrixXd z = x;
  (void)threshold_singular_values(z, kTau, kUnshrunk);
  for (int trial = 0; trial < 200; ++trial)
    EXPECT_LE(cost(z), cost(z + std::pow(10.0, -trial % 5) * random_dense(4, 5, rng)) + 1e-12);
}

// Slabs of many rows and of few, more indices than all others together have, two modes only.
TEST(SingularValueThresholding, OfAnUnfoldingIsThatOfTheUnfoldedMatrix) {
  Rng rng(65);
  for (const Shape& shape :
       {Shape{20, 9, 4}, Shape{3, 7, 5}, Shape{2, 30, 3}, Shape{40, 6}, Shape{6, 40}, Shape{17, 3, 4, 2}})
    for (int mode = 0; mode < static_cast<int>(shape.size()); ++mode) {
      std::vector<double> x(static_cast<std::size_t>(cell_count(shape)));
      for (double& value : x) value = rng.normal();
      Eigen::MatrixXd unfolding = unfold(x, shape, mode);
      const double tau = 0.4 * Eigen::BDCSVD<Eigen::MatrixXd>(unfolding).singularValues()(0);
      const Eigen::Index unshrunk = mode;
      const double wanted = threshold_singular_values(unfolding, tau, unshrunk);
      EXPECT_NEAR(threshold_unfolding(x, shape, mode, tau, unshrunk), wanted, 1e-12 * tau);
      EXPECT_LT((unfold(x, shape, mode) - unfolding).norm(), 1e-11 * tau);
    }
}

}  // namespace
}  // namespace lacuna
