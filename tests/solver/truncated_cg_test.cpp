// SPDX-License-Identifier: MIT
// The trust-region subproblem: the step, H times the step, and how it ended.
#include "solver/truncated_cg.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>
#include <cmath>

#include "manifold/euclidean.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

constexpr Eigen::Index kSize = 20;
constexpr double kRounding = 1e-10;  // twenty steps of a recurrence on numbers of size 1 to 1000

using Vector = Matrix<double>;  // of one column

// min <g, eta> + 1/2 <eta, H eta>, ||eta|| <= radius, on R^20.
struct Subproblem {
  explicit Subproblem(std::uint64_t seed, double smallest_eigenvalue) {
    Rng rng(seed);
    const Matrix<double> any = test::random_matrix<double>(kSize, kSize, rng);
    const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(any + any.transpose());
    Eigen::VectorXd values = Eigen::VectorXd::LinSpaced(kSize, smallest_eigenvalue, 30.0);
    hessian = eigen.eigenvectors() * values.asDiagonal() * eigen.eigenvectors().transpose();
    gradient = test::random_matrix<double>(kSize, 1, rng);
  }

  SubproblemResult solve(double radius, const TruncatedCgOptions& options,
                         const Interrupted& interrupted = {}) {
    const Euclidean<double> space(kSize);
    const auto product = [this](const Vector& in, Vector& out) { out = hessian * in; };
    // A scale that makes the superlinear rule ask for nothing beyond kappa.
    const double scale = gradient.norm();
    return TruncatedCg<Euclidean<double>>(options).solve(space, asked(scale, radius), product, interrupted,
                                                         eta);
  }

  [[nodiscard]] TruncatedCg<Euclidean<double>>::Subproblem asked(double scale, double radius) const {
    return {.x = gradient, .gradient = gradient, .gradient_scale = scale, .radius = radius};
  }
  [[nodiscard]] double decrease() const {
    return -(gradient.cwiseProduct(eta).sum() + 0.5 * eta.cwiseProduct(hessian * eta).sum());
  }
  // What steepest descent alone would gain inside the ball: truncated CG must gain at least as much.
  [[nodiscard]] double cauchy_decrease(double radius) const {
    const double norm = gradient.norm();
    const double curvature = gradient.cwiseProduct(hessian * gradient).sum();
    double t = radius / norm;
    if (curvature > 0.0) t = std::min(t, norm * norm / curvature);
    return t * norm * norm - 0.5 * t * t * curvature;
  }
  void expect_consistent(const SubproblemResult& result, double radius) const {
    EXPECT_NEAR(result.decrease, decrease(), kRounding * decrease());
    EXPECT_LE(eta.norm(), radius * (1 + kRounding));
    EXPECT_GE(decrease(), cauchy_decrease(radius) * (1 - kRounding));
  }

  Matrix<double> hessian;
  Vector gradient;
  Vector eta;
};

TEST(TruncatedCg, FindsTheNewtonStepInsideALargeBall) {
  Subproblem problem(200, 1.0);
  const SubproblemResult result = problem.solve(1e6, {.kappa = 1e-12});
  EXPECT_EQ(result.end, SubproblemEnd::kAccurate);
  EXPECT_LE(result.iterations, static_cast<int>(kSize) + 2);
  const Vector newton = -problem.hessian.ldlt().solve(problem.gradient);
  EXPECT_LT((problem.eta - newton).norm(), kRounding);
  problem.expect_consistent(result, 1e6);
}

TEST(TruncatedCg, StopsAtTheAccuracyAskedFor) {
  for (const double kappa : {0.5, 0.1, 1e-3}) {
    Subproblem problem(201, 1.0);
    const SubproblemResult result = problem.solve(1e6, {.kappa = kappa});
    EXPECT_EQ(result.end, SubproblemEnd::kAccurate);
    EXPECT_LE((problem.gradient + problem.hessian * problem.eta).norm(), kappa * problem.gradient.norm());
    problem.expect_consistent(result, 1e6);
  }
}

TEST(TruncatedCg, AsksForMoreAsTheGradientShrinks) {
  // Superlinear rule: ||r|| <= ||g|| (||g|| / scale)^theta.
  Subproblem problem(202, 1.0);
  const Euclidean<double> space(kSize);
  const auto product = [&](const Vector& in, Vector& out) { out = problem.hessian * in; };
  const double scale = 1e4 * problem.gradient.norm();
  const SubproblemResult result = TruncatedCg<Euclidean<double>>({.kappa = 0.1, .theta = 1.0})
                                      .solve(space, problem.asked(scale, 1e6), product, {}, problem.eta);
  EXPECT_EQ(result.end, SubproblemEnd::kAccurate);
  EXPECT_LE((problem.gradient + problem.hessian * problem.eta).norm(), 1e-4 * problem.gradient.norm());
}

TEST(TruncatedCg, GoesExactlyToTheBoundary) {
  Subproblem problem(203, 1.0);
  const double newton = problem.hessian.ldlt().solve(problem.gradient).norm();
  for (const double share : {0.01, 0.3, 0.9}) {
    const double radius = share * newton;
    const SubproblemResult result = problem.solve(radius, {.kappa = 1e-12});
    EXPECT_EQ(result.end, SubproblemEnd::kBoundary) << share;
    EXPECT_NEAR(problem.eta.norm(), radius, kRounding * radius);
    problem.expect_consistent(result, radius);
  }
}

TEST(TruncatedCg, FollowsNegativeCurvatureToTheBoundary) {
  for (const double smallest : {-0.5, -20.0}) {  // found late, and found early
    Subproblem problem(204, smallest);
    for (const double radius : {50.0, 1e3}) {
      const SubproblemResult result = problem.solve(radius, {.kappa = 1e-12});
      EXPECT_EQ(result.end, SubproblemEnd::kNegativeCurvature);
      EXPECT_NEAR(problem.eta.norm(), radius, kRounding * radius);
      EXPECT_NEAR(result.decrease, problem.decrease(), kRounding * problem.decrease());
      EXPECT_GE(problem.decrease(), problem.cauchy_decrease(radius) * (1 - kRounding));
    }
  }
}

TEST(TruncatedCg, TakesNegativeCurvatureOfTheFirstDirection) {
  Subproblem problem(205, 1.0);
  problem.hessian = -Matrix<double>::Identity(kSize, kSize);
  const SubproblemResult result = problem.solve(2.0, {});
  EXPECT_EQ(result.end, SubproblemEnd::kNegativeCurvature);
  EXPECT_EQ(result.iterations, 1);
  EXPECT_LT((problem.eta + 2.0 * problem.gradient / problem.gradient.norm()).norm(), kRounding);
}

// Also on the last stretch, which follows negative curvature.
TEST(TruncatedCg, PassesThroughTheAnswersForSmallerBalls) {
  for (const double smallest : {1.0, -0.5, -20.0}) {
    Subproblem problem(210, smallest);
    const Euclidean<double> space(kSize);
    const auto product = [&](const Vector& in, Vector& out) { out = problem.hessian * in; };
    std::vector<Crossing<Vector>> crossings(3);
    const double radius = 0.5;
    double inside = radius / 64;
    for (Crossing<Vector>& at : crossings) at.radius = inside *= 3;
    const double scale = problem.gradient.norm();
    (void)TruncatedCg<Euclidean<double>>({.kappa = 1e-12})
        .solve(space, problem.asked(scale, radius), product, {}, problem.eta, crossings);
    for (const Crossing<Vector>& at : crossings) {
      const SubproblemResult alone = problem.solve(at.radius, {.kappa = 1e-12});
      EXPECT_LT((problem.eta - at.eta).norm(), kRounding) << smallest << ' ' << at.radius;
      EXPECT_NEAR(at.decrease, alone.decrease, kRounding * alone.decrease);
    }
  }
}

// A few large eigenvalues are found soon, and without the residuals before it a new one is no longer orthogonal to theirs:
// then products that differ by rounding lead elsewhere.
TEST(TruncatedCg, WithKeptResidualsTheStepDoesNotDependOnRounding) {
  constexpr Eigen::Index kLong = 400;
  Rng rng(212);
  Vector eigenvalues(kLong, 1);
  for (double& value : flat(eigenvalues)) value = std::pow(10.0, 8.0 * rng.uniform() * rng.uniform());
  const Vector gradient = test::random_matrix<double>(kLong, 1, rng);
  const Euclidean<double> space(kLong);
  const auto step = [&](int kept, std::uint64_t seed) {
    Rng noise(seed);
    const auto product = [&](const Vector& in, Vector& out) {
      out = eigenvalues.cwiseProduct(in);
      for (double& value : flat(out)) value *= 1.0 + 1e-15 * noise.normal();
    };
    Vector eta;
    const SubproblemResult result =
        TruncatedCg<Euclidean<double>>({.kappa = 1e-12, .max_iterations = 60, .kept_residuals = kept})
            .solve(space,
                   {.x = gradient, .gradient = gradient, .gradient_scale = gradient.norm(), .radius = 1e9},
                   product, {}, eta);
    EXPECT_EQ(result.end, SubproblemEnd::kMaxIterations);
    return eta;
  };
  const auto apart = [&](int kept) { return (step(kept, 1) - step(kept, 2)).norm() / step(kept, 1).norm(); };
  EXPECT_LT(apart(60), 1e-10);
  EXPECT_GT(apart(0), 1e-6);
}

TEST(TruncatedCg, SaysWhichBallsItDidNotLeave) {
  Subproblem problem(211, 1.0);
  const Euclidean<double> space(kSize);
  const auto product = [&](const Vector& in, Vector& out) { out = problem.hessian * in; };
  const double newton = problem.hessian.ldlt().solve(problem.gradient).norm();
  std::vector<Crossing<Vector>> crossings{{.radius = 0.5 * newton}, {.radius = 2.0 * newton}};
  (void)TruncatedCg<Euclidean<double>>({.kappa = 1e-12})
      .solve(space, problem.asked(problem.gradient.norm(), 4.0 * newton), product, {}, problem.eta,
             crossings);
  EXPECT_GT(crossings[0].decrease, 0.0);
  EXPECT_EQ(crossings[1].decrease, 0.0);
}

TEST(TruncatedCg, StopsAtTheIterationLimitWithAUsableStep) {
  for (const int limit : {1, 2, 5}) {
    Subproblem problem(206, 1.0);
    const SubproblemResult result = problem.solve(1e6, {.kappa = 1e-12, .max_iterations = limit});
    EXPECT_EQ(result.end, SubproblemEnd::kMaxIterations);
    EXPECT_EQ(result.iterations, limit);
    problem.expect_consistent(result, 1e6);
  }
}

TEST(TruncatedCg, DecreasesTheModelMoreWithEveryStep) {
  double last = 0.0;
  for (int limit = 1; limit <= 8; ++limit) {
    Subproblem problem(207, 1.0);
    (void)problem.solve(1e6, {.kappa = 1e-14, .max_iterations = limit});
    EXPECT_GT(problem.decrease(), last);
    last = problem.decrease();
  }
}

TEST(TruncatedCg, StopsWhenInterrupted) {
  Subproblem problem(208, 1.0);
  int polls = 0;
  const SubproblemResult result = problem.solve(1e6, {.kappa = 1e-12}, [&polls] { return ++polls > 3; });
  EXPECT_EQ(result.end, SubproblemEnd::kStopped);
  EXPECT_EQ(result.iterations, 3);
}

TEST(TruncatedCg, TakesBackAStepThatAnInexactProductSpoilt) {
  Subproblem problem(209, 1.0);
  const Euclidean<double> space(kSize);
  int products = 0;
  const auto spoilt = [&](const Vector& in, Vector& out) {  // from the second on, a large error along -g
    out = problem.hessian * in;
    if (++products > 1) out -= 1e4 * problem.gradient;
  };
  const SubproblemResult result =
      TruncatedCg<Euclidean<double>>({.kappa = 1e-12})
          .solve(space, problem.asked(problem.gradient.norm(), 1e6), spoilt, {}, problem.eta);
  EXPECT_EQ(result.end, SubproblemEnd::kModelIncreased);
  EXPECT_EQ(result.iterations, 2);
  problem.expect_consistent(result, 1e6);  // the first step stands, with its product
}

}  // namespace
}  // namespace lacuna
