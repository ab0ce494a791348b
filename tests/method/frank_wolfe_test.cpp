// SPDX-License-Identifier: MIT
// Frank-Wolfe's parts against brute force on tensors small enough to unfold.
#include "method/latent/frank_wolfe.hpp"

#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>

#include "linalg/unfold.hpp"
#include "method/dense/dense.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

ObservedTensor example(double noise = 0.2) {
  Rng rng(31);
  return test::with_random_weights(test::low_rank_tensor({9, 8, 7}, 2, 200, noise, rng), rng);
}

// The unfoldings of the residual, zeros where nothing is observed.
std::vector<Eigen::MatrixXd> unfoldings(const ObservedTensor& tensor, std::span<const double> z) {
  const Shape shape = shape_of(tensor);
  std::vector<double> cells(static_cast<std::size_t>(cell_count(shape)), 0.0);
  const std::vector<std::size_t> where = observed_cells(tensor);
  for (std::size_t e = 0; e < where.size(); ++e) cells[where[e]] = z[e];
  std::vector<Eigen::MatrixXd> all;
  for (int k = 0; k < tensor.order(); ++k) all.push_back(unfold(cells, shape, k));
  return all;
}

TEST(FrankWolfe, TheCornerIsThatOfTheLargestScaledSingularValue) {
  const ObservedTensor tensor = example();
  FrankWolfe solver(tensor, 12.0);
  for (int step = 0; step < 6; ++step) {
    const auto corner = *solver.best_corner({});
    double most = 0.0;
    std::size_t mode = 0;
    for (std::size_t k = 0; k < 3; ++k) {
      const Eigen::MatrixXd unfolded = unfoldings(tensor, solver.residual())[k];
      const double value = std::sqrt(static_cast<double>(unfolded.rows())) *
                           Eigen::JacobiSVD<Eigen::MatrixXd>(unfolded).singularValues()(0);
      if (value > most) {
        most = value;
        mode = k;
      }
    }
    EXPECT_EQ(corner.mode, mode);
    EXPECT_NEAR(corner.value, most, 1e-9 * most);
    EXPECT_NEAR(corner.u.norm(), 1.0, 1e-12);
    EXPECT_NEAR(corner.v.norm(), 1.0, 1e-12);
    solver.step(corner);
  }
}

TEST(FrankWolfe, TheGapIsNotBelowTheDistanceToTheOptimum) {
  const ObservedTensor tensor = example();
  FrankWolfe best(tensor, 8.0);
  double lower = 0.0;
  for (int step = 0; step < 3000; ++step) {
    const auto corner = *best.best_corner({});
    lower = std::max(lower, best.objective() - best.gap(corner));
    best.step(corner);
    if (step % 10 == 9) best.reduce();
  }
  EXPECT_LT(best.objective() - lower, 1e-3 * best.objective_at_zero());  // as good as the optimum

  FrankWolfe solver(tensor, 8.0);
  for (int step = 0; step < 60; ++step) {
    const auto corner = *solver.best_corner({});
    EXPECT_GE(solver.gap(corner), solver.objective() - best.objective());
    EXPECT_LE(solver.objective() - solver.gap(corner), best.objective());
    solver.step(corner);
  }
}

TEST(FrankWolfe, StepsAndReductionsLowerTheObjectiveWithinTheBall) {
  const ObservedTensor tensor = example(0.5);
  FrankWolfe solver(tensor, 16.0);
  double last = solver.objective_at_zero();
  for (int step = 0; step < 40; ++step) {
    solver.step(*solver.best_corner({}));
    EXPECT_LE(solver.objective(), last * (1 + 1e-12));
    last = solver.objective();
    if (step % 8 == 7) {
      const Count columns = solver.columns();
      const double norm = solver.norm();
      solver.reduce();
      EXPECT_LE(solver.columns(), columns);
      EXPECT_LE(solver.norm(), norm * (1 + 1e-12));
      EXPECT_LE(solver.objective(), last * (1 + 1e-12));
      last = solver.objective();
    }
    EXPECT_LE(solver.norm(), solver.tau() * (1 + 1e-12));
  }
}

TEST(FrankWolfe, ThePartsAddUpToTheValues) {
  const ObservedTensor tensor = example();
  FrankWolfe solver(tensor, 16.0);
  for (int step = 0; step < 12; ++step) solver.step(*solver.best_corner({}));
  solver.reduce();
  Latent latent;
  for (std::size_t k = 0; k < 3; ++k) latent.parts.push_back(solver.part(k));
  latent.dual = tensor;
  std::vector<double> values(static_cast<std::size_t>(tensor.size()), 0.0);
  const std::vector<bool> silent = LatentPredictor(latent).add_values(tensor.cells(), values);
  EXPECT_EQ(std::count(silent.begin(), silent.end(), true), 0);
  for (std::size_t e = 0; e < values.size(); ++e) EXPECT_NEAR(values[e], solver.values()[e], 1e-10);
}

}  // namespace
}  // namespace lacuna
