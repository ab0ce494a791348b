// SPDX-License-Identifier: MIT
// Conjugate gradients on diagonal-plus-low-rank systems whose solution is known.
#include "linalg/conjugate_gradients.hpp"

#include <gtest/gtest.h>

#include <Eigen/Core>
#include <cmath>
#include <vector>

#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

// A = diag(d) + V V', with d spread over three decades so that the preconditioner matters.
template <class Real>
struct System {
  using Vector = Eigen::Matrix<Real, Eigen::Dynamic, 1>;

  System(Eigen::Index size, int rank, std::uint64_t seed) {
    Rng rng(seed);
    diagonal.resize(size);
    for (Eigen::Index i = 0; i < size; ++i)
      diagonal(i) = static_cast<Real>(std::pow(10.0, 3 * rng.uniform()));
    low_rank = test::random_matrix<Real>(size, rank, rng);
    solution = test::random_vector<Real>(size, rng);
    right_side.resize(solution.size());
    apply(solution, right_side);
    for (Eigen::Index i = 0; i < size; ++i)
      inverse.push_back(1.0F / static_cast<float>(diagonal(i) + low_rank.row(i).squaredNorm()));
  }

  void apply(std::span<const Real> in, std::span<Real> out) const {
    const Eigen::Map<const Vector> x(in.data(), diagonal.size());
    Eigen::Map<Vector> y(out.data(), diagonal.size());
    y = diagonal.cwiseProduct(x) + low_rank * (low_rank.transpose() * x);
    ++applications;
  }

  CgResult solve(std::vector<Real>& x, bool start_is_zero, const CgOptions& options) const {
    CgWorkspace<Real> work;
    const CgResult result = conjugate_gradients<Real>(
        [this](std::span<const Real> in, std::span<Real> out) { apply(in, out); }, inverse, right_side,
        std::span<Real>(x), start_is_zero, options, serial_communicator(), work);
    residual = work.residual;
    return result;
  }

  [[nodiscard]] double right_side_norm() const {
    return std::sqrt(dot<Real>(serial_communicator(), right_side, right_side));
  }
  [[nodiscard]] double true_residual(const std::vector<Real>& x) const {
    std::vector<Real> product(x.size());
    apply(x, product);
    double sum = 0.0;
    for (std::size_t i = 0; i < x.size(); ++i)
      sum += std::pow(static_cast<double>(right_side[i]) - static_cast<double>(product[i]), 2);
    return std::sqrt(sum);
  }

  Vector diagonal;
  Matrix<Real> low_rank;
  std::vector<Real> solution;
  std::vector<Real> right_side;
  std::vector<float> inverse;
  mutable std::vector<Real> residual;
  mutable int applications = 0;
};

constexpr Eigen::Index kSize = 400;
constexpr int kRank = 12;

TEST(ConjugateGradients, SolvesToTheTolerance) {
  const System<double> system(kSize, kRank, 70);
  std::vector<double> x(kSize, 5.0);
  const CgOptions options{.tolerance = 1e-10 * system.right_side_norm()};
  const CgResult result = system.solve(x, true, options);
  EXPECT_TRUE(result.converged);
  EXPECT_LE(result.residual_norm, options.tolerance);
  EXPECT_NEAR(system.true_residual(x), result.residual_norm, 0.01 * options.tolerance);
  // ||error|| <= ||residual|| / smallest eigenvalue, which is at least the smallest of d, 1.
  double error = 0.0;
  for (Eigen::Index i = 0; i < kSize; ++i) error += std::pow(x[i] - system.solution[i], 2);
  EXPECT_LE(std::sqrt(error), 1.1 * options.tolerance);
}

TEST(ConjugateGradients, SolvesInSinglePrecision) {
  const System<float> system(kSize, kRank, 71);
  std::vector<float> x(kSize);
  const CgOptions options{.tolerance = 1e-5 * system.right_side_norm()};
  EXPECT_TRUE(system.solve(x, true, options).converged);
  EXPECT_LE(system.true_residual(x), 2 * options.tolerance);
}

TEST(ConjugateGradients, HandsBackTheResidual) {
  const System<double> system(kSize, kRank, 72);
  std::vector<double> x(kSize);
  const CgResult result = system.solve(x, true, {.tolerance = 0.0, .max_iterations = 10});
  std::vector<double> product(kSize);
  system.apply(x, product);
  constexpr double kDrift = 1e-11;  // ten steps of the recurrence against b - A x
  for (Eigen::Index i = 0; i < kSize; ++i)
    EXPECT_NEAR(system.residual[i], system.right_side[i] - product[i], kDrift * system.right_side_norm());
  EXPECT_NEAR(result.residual_norm, system.true_residual(x), kDrift * system.right_side_norm());
}

TEST(ConjugateGradients, NeedsFewerStepsFromAWarmStart) {
  const System<double> system(kSize, kRank, 73);
  const CgOptions options{.tolerance = 1e-8 * system.right_side_norm()};
  std::vector<double> cold(kSize);
  const CgResult from_zero = system.solve(cold, true, options);
  Rng rng(74);
  std::vector<double> warm = system.solution;
  for (double& value : warm) value += 1e-5 * rng.normal();
  const CgResult from_near = system.solve(warm, false, options);
  EXPECT_TRUE(from_near.converged);
  EXPECT_LT(from_near.iterations, from_zero.iterations);
}

TEST(ConjugateGradients, ThePreconditionerHelps) {
  System<double> system(kSize, kRank, 75);
  const CgOptions options{.tolerance = 1e-8 * system.right_side_norm()};
  std::vector<double> x(kSize);
  const int with = system.solve(x, true, options).iterations;
  std::fill(system.inverse.begin(), system.inverse.end(), 1.0F);
  const CgResult without = system.solve(x, true, options);
  EXPECT_TRUE(without.converged);
  EXPECT_LT(with, without.iterations);
}

TEST(ConjugateGradients, StopsAtTheIterationLimit) {
  const System<double> system(kSize, kRank, 76);
  std::vector<double> x(kSize);
  const CgResult result = system.solve(x, true, {.tolerance = 1e-14, .max_iterations = 3});
  EXPECT_EQ(result.iterations, 3);
  EXPECT_FALSE(result.converged);
  EXPECT_LT(result.residual_norm, system.right_side_norm());
  const CgResult none = system.solve(x, true, {.tolerance = 1e-14, .max_iterations = 0});
  EXPECT_EQ(none.iterations, 0);
  EXPECT_FALSE(none.converged);
  EXPECT_EQ(x, std::vector<double>(kSize, 0.0));
}

TEST(ConjugateGradients, StopsWhenInterrupted) {
  const System<double> system(kSize, kRank, 77);
  std::vector<double> x(kSize);
  int polls = 0;
  const CgResult result =
      system.solve(x, true, {.tolerance = 1e-14, .interrupted = [&polls] { return ++polls > 4; }});
  EXPECT_EQ(result.iterations, 4);
  EXPECT_FALSE(result.converged);
}

TEST(ConjugateGradients, StopsAtOnceAtTheSolution) {
  const System<double> system(kSize, kRank, 78);
  std::vector<double> x = system.solution;
  const int before = system.applications;
  const CgResult result = system.solve(x, false, {.tolerance = 1e-12 * system.right_side_norm()});
  EXPECT_EQ(system.applications, before + 1);  // the residual of the start
  EXPECT_EQ(result.iterations, 0);
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(x, system.solution);
}

TEST(ConjugateGradients, ZeroRightSideHasTheZeroSolution) {
  System<double> system(kSize, kRank, 79);
  std::fill(system.right_side.begin(), system.right_side.end(), 0.0);
  std::vector<double> x(kSize, 1.0);
  const CgResult result = system.solve(x, true, {.tolerance = 0.0});
  EXPECT_TRUE(result.converged);
  EXPECT_EQ(result.iterations, 0);
  EXPECT_EQ(x, std::vector<double>(kSize, 0.0));
}

TEST(ConjugateGradients, StopsOnNonPositiveCurvature) {
  System<double> system(kSize, 0, 80);
  system.diagonal.setConstant(-1.0);
  std::vector<double> x(kSize);
  const CgResult result = system.solve(x, true, {.tolerance = 1e-12});
  EXPECT_EQ(result.iterations, 0);
  EXPECT_FALSE(result.converged);
  EXPECT_EQ(x, std::vector<double>(kSize, 0.0));
}

TEST(ConjugateGradients, HasTheSameBitsAtAnyThreadCount) {
  constexpr Eigen::Index kLarge = 5 * kBlock + 77;
  const System<double> system(kLarge, 3, 81);
  std::vector<std::vector<double>> results;
  for (const int threads : {1, 2, 3, 5}) {
    const test::WithThreads scope(threads);
    std::vector<double>& x = results.emplace_back(static_cast<std::size_t>(kLarge));
    EXPECT_GT(system.solve(x, true, {.tolerance = 0.0, .max_iterations = 8}).iterations, 7);
    EXPECT_TRUE(test::same_bits<double>(x, results.front())) << threads << " threads";
  }
}

}  // namespace
}  // namespace lacuna
