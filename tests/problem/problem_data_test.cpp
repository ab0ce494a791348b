// SPDX-License-Identifier: MIT
// What the problems are made from: data with weights, and where a fit starts.
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <limits>
#include <stdexcept>

#include "problem/initial_point.hpp"
#include "support/naive.hpp"
#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

TEST(ProblemData, HoldsTheValuesInEitherPrecision) {
  Rng rng(500);
  const ObservedTensor tensor = test::random_tensor({6, 5, 4}, 50, rng);
  const ProblemData<double> data(tensor, full_parts(3), {1, 2, 3});
  const ProblemData<float> single(tensor, full_parts(3), {1, 2, 3});
  EXPECT_EQ(data.entries(), 50);
  EXPECT_EQ(data.y().data(), tensor.values().data());  // in double they are used where they are
  double squares = 0.0;
  for (Count e = 0; e < 50; ++e) {
    EXPECT_EQ(single.y()[e], static_cast<float>(tensor.values()[e]));
    squares += tensor.values()[e] * tensor.values()[e];
  }
  EXPECT_NEAR(data.y_norm(), std::sqrt(squares), 1e-13);
  EXPECT_NEAR(single.y_norm(), std::sqrt(squares), 1e-5);
}

TEST(ProblemData, WantsOnePositiveLambdaForEachPart) {
  Rng rng(501);
  const ObservedTensor tensor = test::random_tensor({6, 5, 4}, 50, rng);
  const auto make = [&](std::vector<double> lambda) {
    (void)ProblemData<double>(tensor, full_parts(3), std::move(lambda));
  };
  EXPECT_NO_THROW(make({1, 2, 3}));
  EXPECT_THROW(make({1, 2}), std::invalid_argument);
  EXPECT_THROW(make({1, 2, 3, 4}), std::invalid_argument);
  EXPECT_THROW(make({1, 0, 3}), std::invalid_argument);
  EXPECT_THROW(make({1, -2, 3}), std::invalid_argument);
  EXPECT_THROW(make({1, std::numeric_limits<double>::quiet_NaN(), 3}), std::invalid_argument);
  EXPECT_THROW(make({1, std::numeric_limits<double>::infinity(), 3}), std::invalid_argument);
  ProblemData<double> data(tensor, full_parts(3), {1, 2, 3});
  EXPECT_THROW(data.set_lambda({1}), std::invalid_argument);
  EXPECT_EQ(data.lambda(), (std::vector<double>{1, 2, 3}));
  data.set_lambda({4, 5, 6});
  EXPECT_EQ(data.lambda(), (std::vector<double>{4, 5, 6}));
}

TEST(RandomStart, IsOnTheSpectrahedronAndFollowsTheSeed) {
  Rng rng(502);
  const ObservedTensor tensor = test::random_tensor({6, 5, 4}, 50, rng);
  const ProblemData<double> data(tensor, full_parts(3), {1, 2, 3});
  Rng first(9);
  Rng again(9);
  const auto u = random_start(data, {3, 2, 1}, first);
  const auto same = random_start(data, {3, 2, 1}, again);
  const auto other = random_start(data, {3, 2, 1}, again);
  ASSERT_EQ(u.size(), 3U);
  for (int p = 0; p < 3; ++p) {
    EXPECT_EQ(u[p].rows(), tensor.extent(p));
    EXPECT_EQ(u[p].cols(), 3 - p);
    EXPECT_NEAR(u[p].norm(), 1.0, 1e-14);
    EXPECT_EQ(u[p], same[p]);
    EXPECT_NE(u[p], other[p]);
  }
}

// Theta of the spectral start should be sum_j sigma_j q_j q_j' / sum_j sigma_j over the top singular pairs.
template <class Real>
void check_spectral_start(const ObservedTensor& tensor, const std::vector<PartSpec>& parts,
                          const std::vector<int>& ranks, double tolerance) {
  const ProblemData<Real> data(tensor, parts, std::vector<double>(parts.size(), 1.0));
  Rng rng(503);
  const auto u = spectral_start(data, ranks, rng);
  const Eigen::Map<const Eigen::VectorXd> y(tensor.values().data(), tensor.size());
  ASSERT_EQ(u.size(), parts.size());
  for (std::size_t p = 0; p < parts.size(); ++p) {
    ASSERT_EQ(u[p].cols(), ranks[p]);
    const Eigen::MatrixXd factor = u[p].template cast<double>();
    EXPECT_NEAR(factor.norm(), 1.0, tolerance);
    const Eigen::MatrixXd unfolding = test::NaivePart(tensor, parts[p]).unfolding(y);
    const Eigen::JacobiSVD<Eigen::MatrixXd> svd(unfolding, Eigen::ComputeThinU);
    const Eigen::MatrixXd q = svd.matrixU().leftCols(ranks[p]);
    const Eigen::VectorXd sigma = svd.singularValues().head(ranks[p]);
    const Eigen::MatrixXd theta = q * sigma.asDiagonal() * q.transpose() / sigma.sum();
    EXPECT_LT((factor - q * (q.transpose() * factor)).norm(), tolerance)
        << "not the top subspace, part " << p;
    EXPECT_LT((factor * factor.transpose() - theta).norm(), tolerance) << "part " << p;
  }
}

TEST(SpectralStart, SpansTheTopSingularSubspaceOfAFullTensor) {
  const test::WithThreads one(1);
  Rng rng(504);
  // Two strong directions over noise of 1e-3: eight sweeps converge far below the tolerance.
  const ObservedTensor tensor = test::low_rank_tensor({14, 12, 10}, 2, 14 * 12 * 10, 1e-3, rng);
  check_spectral_start<double>(tensor, full_parts(3), {2, 2, 2}, 1e-8);
  check_spectral_start<double>(tensor, full_parts(3), {1, 2, 1},
                               1e-3);  // the gap is between the two strong ones
  check_spectral_start<float>(tensor, full_parts(3), {2, 2, 2}, 1e-4);
}

TEST(SpectralStart, IsExactWhenTheWholeModeIsIterated) {
  const test::WithThreads one(1);
  Rng rng(505);
  const ObservedTensor tensor = test::random_tensor({6, 5, 4}, 80, rng);  // rank + 4 >= extent everywhere
  std::vector<PartSpec> parts = full_parts(3);
  parts.push_back({.mode = 0, .agree = {1}});
  parts.push_back({.mode = 1, .agree = {2}, .row_power = 0.5, .fiber_power = 0.5});
  check_spectral_start<double>(tensor, parts, {2, 3, 4, 2, 3}, 1e-10);
}

TEST(SpectralStart, CopesWithMoreRankThanTheDataHas) {
  const test::WithThreads one(1);
  Rng rng(506);
  const ObservedTensor tensor = test::low_rank_tensor({9, 8, 7}, 1, 9 * 8 * 7, 0.0, rng);
  const ProblemData<double> data(tensor, full_parts(3), {1, 1, 1});
  Rng start(507);
  for (const Matrix<double>& factor : spectral_start(data, {4, 3, 7}, start)) {
    EXPECT_TRUE(factor.allFinite());
    EXPECT_NEAR(factor.norm(), 1.0, 1e-12);
  }
}

}  // namespace
}  // namespace lacuna
