// SPDX-License-Identifier: MIT
// The bounds on the convex problem's optimum, against an optimum found by another algorithm.
#include "problem/certificate.hpp"

#include <gtest/gtest.h>

#include <Eigen/Eigenvalues>
#include <algorithm>

#include "problem/dual_problem.hpp"
#include "solver/trust_region.hpp"
#include "support/dense_problem.hpp"
#include "support/problem_case.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::DenseProblem;
using test::ProblemCase;
using Point = std::vector<Matrix<double>>;

constexpr double kOptimum = 1e-8;  // how closely the optimum is known, relative
constexpr double kRounding = 1e-11;

using Thetas = std::vector<Eigen::MatrixXd>;

Eigen::MatrixXd root_of(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(matrix);
  return eigen.eigenvectors() * eigen.eigenvalues().cwiseMax(0.0).cwiseSqrt().asDiagonal() *
         eigen.eigenvectors().transpose();
}

// The nearest positive semi-definite matrix of trace 1: its eigenvalues go to the nearest point of the
// simplex.
Eigen::MatrixXd onto_spectrahedron(const Eigen::MatrixXd& matrix) {
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(0.5 * (matrix + matrix.transpose()));
  double sum = 0.0;
  double shift = 0.0;
  for (Eigen::Index j = 1; j <= matrix.rows(); ++j) {
    const double next = eigen.eigenvalues()(matrix.rows() - j);
    sum += next;
    if (next > (sum - 1.0) / static_cast<double>(j)) shift = (sum - 1.0) / static_cast<double>(j);
  }
  return eigen.eigenvectors() * (eigen.eigenvalues().array() - shift).cwiseMax(0.0).matrix().asDiagonal() *
         eigen.eigenvectors().transpose();
}

// min over all Theta of 1/2 Y' A(Theta)^-1 Y by accelerated projected gradients with restarts: nothing of the
// library's manifolds, factors or solvers.
double convex_optimum(const DenseProblem& dense, const std::vector<double>& lambda, const Thetas& start) {
  const auto solved = [&](const Thetas& theta) {
    Point root;
    for (const Eigen::MatrixXd& one : theta) root.emplace_back(root_of(one));
    return dense.solve(root, dense.y());
  };
  Thetas at = start;
  Thetas ahead = start;
  double momentum = 1.0;
  double step = 1.0;
  for (int round = 0; round < 6000; ++round) {
    const Eigen::VectorXd z = solved(ahead);
    const Thetas gram = dense.grams(z);  // the gradient is -lambda/2 Z_p Z_p'
    Thetas next(at.size());
    for (;; step /= 2) {
      double model = 0.5 * dense.y().dot(z);
      double overshoot = 0.0;
      for (std::size_t p = 0; p < at.size(); ++p) {
        next[p] = onto_spectrahedron(ahead[p] + step * 0.5 * lambda[p] * gram[p]);
        const Eigen::MatrixXd move = next[p] - ahead[p];
        model += move.squaredNorm() / (2 * step) - 0.5 * lambda[p] * gram[p].cwiseProduct(move).sum();
        overshoot += (ahead[p] - next[p]).cwiseProduct(next[p] - at[p]).sum();
      }
      if (round > 50 || 0.5 * dense.y().dot(solved(next)) <= model) {
        if (overshoot > 0.0) momentum = 1.0;  // start it anew
        break;
      }
    }
    const double after = 0.5 * (1.0 + std::sqrt(1.0 + 4.0 * momentum * momentum));
    for (std::size_t p = 0; p < at.size(); ++p)
      ahead[p] = next[p] + (momentum - 1.0) / after * (next[p] - at[p]);
    momentum = after;
    at = next;
  }
  return 0.5 * dense.y().dot(solved(at));
}

class CertificateOf : public testing::TestWithParam<test::ProblemShape> {
 protected:
  Certificate at(const Point& u, const DualOptions& options) {
    DualProblem<double> dual(problem_.data, options);
    DualProblem<double>::State state;
    dual.evaluate(u, nullptr, state);
    return certify<double>(problem_.data, u, state.z, state.misfit);
  }

  [[nodiscard]] double optimum() const {
    Thetas start;
    for (const PartKernels& part : problem_.data.parts())
      start.push_back(Eigen::MatrixXd::Identity(part.factor_rows(), part.factor_rows()) /
                      static_cast<double>(part.factor_rows()));
    return convex_optimum(dense_, problem_.data.lambda(), start);
  }

  test::WithThreads one_{1};
  ProblemCase<double> problem_{GetParam(), 500};
  DenseProblem dense_{problem_};
  Rng rng_{501};
};

TEST_P(CertificateOf, BracketsTheOptimumFromAnywhere) {
  const double best = optimum();
  for (int trial = 0; trial < 5; ++trial) {
    const Point u = problem_.random_point(rng_);
    const Certificate exact = at(u, test::kExactSolves);
    const Certificate loose = at(u, {.loosest = 0.3, .tightest = 0.3});
    for (const Certificate& bounds : {exact, loose}) {
      EXPECT_LE(bounds.lower, best * (1 + kOptimum));
      EXPECT_GE(bounds.upper, best * (1 - kOptimum));
      EXPECT_GE(bounds.gap(), 0.0);
      EXPECT_LE(bounds.gap(), 1.0);
    }
    // With exact Z the upper bound is the cost itself.
    EXPECT_NEAR(exact.upper, 0.5 * dense_.y().dot(dense_.solve(u, dense_.y())), 1e-9 * exact.upper);
    EXPECT_LE(exact.upper, loose.upper * (1 + kRounding));
  }
}

TEST_P(CertificateOf, ClosesAtTheOptimum) {
  const double best = optimum();
  test::ProblemShape shape = GetParam();
  for (std::size_t p = 0; p < shape.parts.size(); ++p)
    shape.ranks[p] = static_cast<int>(problem_.data.parts()[p].factor_rows());
  const ProblemCase<double> full(shape, 500);
  const ProductManifold<double> manifold = full.manifold();
  Point u = full.random_point(rng_);
  DualProblem<double> dual(full.data, test::kExactSolves);
  DualProblem<double>::State state;
  (void)trust_region(manifold, dual, u, state, {.max_iterations = 500, .gradient_tolerance = 1e-9}, {},
                     [](const IterationRecord&, const Point&, const auto&) { return Flow::kContinue; });
  const Certificate bounds = certify<double>(full.data, u, state.z, state.misfit);
  EXPECT_LT(bounds.gap(), 1e-6);
  EXPECT_GE(bounds.gap(), -kRounding);
  EXPECT_LE(bounds.upper, best * (1 + kOptimum));
  // The twin's gradients creep where long-range kernels make A ill-conditioned: there the gap has to do.
  const bool creeps = std::any_of(shape.parts.begin(), shape.parts.end(),
                                  [](const PartSpec& part) { return !part.near.empty(); });
  if (!creeps) {
    EXPECT_NEAR(bounds.upper, best, kOptimum * best);
  }
}

INSTANTIATE_TEST_SUITE_P(Shapes, CertificateOf, testing::ValuesIn(test::problem_shapes()), test::shape_name);

// A mode long enough for Lanczos.
test::ProblemShape long_mode() {
  return {.name = "long mode",
          .extents = {120, 7, 5},
          .entries = 900,
          .parts = full_parts(3),
          .ranks = {2, 2, 2}};
}

// Lanczos on a mode long enough for it, against a dense decomposition.
TEST(TopSingular, EqualsADenseDecomposition) {
  const test::WithThreads one(1);
  const ProblemCase<double> problem(long_mode(), 510);
  Eigen::MatrixXd unfolded = Eigen::MatrixXd::Zero(120, 35);
  for (Count e = 0; e < problem.tensor.size(); ++e)
    unfolded(problem.tensor.index(0)[e], problem.tensor.index(1)[e] * 5 + problem.tensor.index(2)[e]) =
        problem.tensor.values()[e];
  const Eigen::VectorXd sigma = unfolded.jacobiSvd().singularValues();
  const TopSingular top = top_singular<double>(problem.data, 0, problem.data.y(), 3);
  ASSERT_EQ(top.squared.size(), 3);
  for (int j = 0; j < 3; ++j) {
    EXPECT_NEAR(top.squared(j), sigma(j) * sigma(j), 1e-6 * sigma(0) * sigma(0));
    EXPECT_NEAR((unfolded.transpose() * top.vectors.col(j)).norm(), sigma(j), 1e-6 * sigma(0));
  }
}

// Parts of a long mode with fewer fibers than there are Lanczos vectors: the Gram matrix has no more to find than one
// direction a fiber, and a part without agreeing modes has one fiber.
TEST(TopSingular, OfFewFibersEqualsADenseDecomposition) {
  const test::WithThreads one(1);
  for (const Index fibers : {1, 2, 5, 12, 30, 31, 32, 60}) {
    test::ProblemShape shape{.name = "few fibers",
                             .extents = {120, fibers, 3},
                             .entries = std::min<Count>(900, 60 * fibers),
                             .parts = {{.mode = 0, .agree = {}}, {.mode = 0, .agree = {1}}},
                             .ranks = {1, 1}};
    const ProblemCase<double> problem(shape, 513);
    Eigen::MatrixXd all = Eigen::MatrixXd::Zero(120, 1);
    Eigen::MatrixXd by_second = Eigen::MatrixXd::Zero(120, fibers);
    for (Count e = 0; e < problem.tensor.size(); ++e) {
      const double value = problem.tensor.values()[e];
      all(problem.tensor.index(0)[e], 0) += value;
      by_second(problem.tensor.index(0)[e], problem.tensor.index(1)[e]) += value;
    }
    for (std::size_t part = 0; part < 2; ++part) {
      const Eigen::VectorXd sigma = (part == 0 ? all : by_second).jacobiSvd().singularValues();
      for (const int count : {1, 3}) {
        const TopSingular top = top_singular<double>(problem.data, part, problem.data.y(), count);
        ASSERT_EQ(top.squared.size(), count);
        for (int j = 0; j < count; ++j)
          EXPECT_NEAR(top.squared(j), j < sigma.size() ? sigma(j) * sigma(j) : 0.0,
                      1e-6 * sigma(0) * sigma(0))
              << fibers << " fibers, part " << part;
        EXPECT_NEAR((top.vectors.transpose() * top.vectors - Eigen::MatrixXd::Identity(count, count)).norm(),
                    0.0, 1e-6);
      }
    }
  }
}

// Nothing is fitted yet: the bounds are 0 and all that Y has.
TEST(Certificate, OfZeroIsDefined) {
  const test::WithThreads one(1);
  const ProblemCase<double> problem(long_mode(), 511);
  Rng rng(512);
  const std::vector<double> zero(static_cast<std::size_t>(problem.data.entries()), 0.0);
  const TopSingular top = top_singular<double>(problem.data, 0, zero, 3);
  EXPECT_EQ(top.squared.size(), 3);
  EXPECT_EQ(top.squared.norm(), 0.0);
  EXPECT_EQ(top.vectors.transpose() * top.vectors, Eigen::MatrixXd::Identity(3, 3));
  const Certificate bounds =
      certify<double>(problem.data, problem.random_point(rng), zero, problem.data.y_norm());
  EXPECT_EQ(bounds.lower, 0.0);
  EXPECT_DOUBLE_EQ(bounds.upper, problem.data.y_norm() * problem.data.y_norm());
  EXPECT_EQ(bounds.gap(), 1.0);
}

}  // namespace
}  // namespace lacuna
