// SPDX-License-Identifier: MIT
// Nonlinear conjugate gradients on problems whose minimum is known.
#include "solver/nonlinear_cg.hpp"

#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Eigenvalues>

#include "manifold/euclidean.hpp"
#include "manifold/spectrahedron.hpp"
#include "support/manifold_laws.hpp"
#include "support/objectives.hpp"
#include "support/random_tensor.hpp"
#include "support/solver_story.hpp"

namespace lacuna {
namespace {

using test::check_story;
using test::random_matrix;
using test::Story;
using test::write_to;

const Euclidean<double> kPlane(2);
const Matrix<double> kFar{{-1.2}, {1.0}};

TEST(NonlinearCg, FindsTheLargestEigenvalueOnTheSphere) {
  Rng rng(220);
  const Matrix<double> any = random_matrix<double>(15, 15, rng);
  const Matrix<double> c = -(any * any.transpose());
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(c);
  test::TraceForm<double> rayleigh(c);
  for (const int columns : {1, 3}) {
    const Spectrahedron<double> manifold(15, columns);
    Matrix<double> u = test::random_ambient(manifold, rng);
    Story story;
    const Summary summary =
        nonlinear_cg(manifold, rayleigh, u, {.gradient_tolerance = 1e-5}, {}, write_to(story));
    EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
    EXPECT_NEAR(summary.objective, 0.5 * eigen.eigenvalues()(0), 1e-8 * std::abs(eigen.eigenvalues()(0)));
    test::expect_on(manifold, u, 1e-13);
    check_story(story, summary);
  }
}

TEST(NonlinearCg, FindsAFullRankTheta) {
  Rng rng(221);
  const Spectrahedron<double> manifold(10, 3);
  const Matrix<double> factor = test::random_ambient(manifold, rng);
  const Matrix<double> target = factor * factor.transpose();
  test::NearestTheta objective(target);
  Matrix<double> u = test::random_ambient(manifold, rng);
  Story story;
  const Summary summary =
      nonlinear_cg(manifold, objective, u, {.gradient_tolerance = 1e-7}, {}, write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
  EXPECT_LT((u * u.transpose() - target).norm(), 1e-5);
  check_story(story, summary);
}

// 1/2 x'Ax - b'x on R^12, condition about 50, and its minimiser.
struct SmallQuadratic {
  explicit SmallQuadratic(std::uint64_t seed) {
    Rng rng(seed);
    const Matrix<double> any = random_matrix<double>(12, 12, rng);
    a = any * any.transpose() + Matrix<double>::Identity(12, 12);
    b = random_matrix<double>(12, 1, rng);
    minimiser = a.ldlt().solve(b);
  }
  Matrix<double> a;
  Matrix<double> b;
  Matrix<double> minimiser;
};

TEST(NonlinearCg, SolvesAQuadratic) {
  const SmallQuadratic problem(222);
  test::Quadratic objective(problem.a, problem.b);
  const Euclidean<double> space(12);
  Matrix<double> x = Matrix<double>::Zero(12, 1);
  Story story;
  const Summary summary =
      nonlinear_cg(space, objective, x, {.gradient_tolerance = 1e-5}, {}, write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
  EXPECT_LT((x - problem.minimiser).norm(), 1e-5);
  check_story(story, summary);
}

TEST(NonlinearCg, StopsWhenOnlyRoundingIsLeftToGain) {
  const Euclidean<double> space(12);
  for (const std::uint64_t seed : {222, 223, 224}) {
    const SmallQuadratic problem(seed);
    test::Quadratic objective(problem.a, problem.b);
    Matrix<double> x = Matrix<double>::Zero(12, 1);
    Story story;
    const Summary summary = nonlinear_cg(
        space, objective, x, {.max_iterations = 5000, .gradient_tolerance = 0.0}, {}, write_to(story));
    EXPECT_EQ(summary.reason, StopReason::kNoFurtherDecrease);
    EXPECT_LT(summary.iterations, 1000);
    EXPECT_LT((x - problem.minimiser).norm(), 1e-5);
    check_story(story, summary);
  }
}

TEST(NonlinearCg, WalksRosenbrocksValley) {
  test::Rosenbrock objective;
  Matrix<double> x = kFar;
  Story story;
  const Summary summary = nonlinear_cg(kPlane, objective, x, {.max_iterations = 3000}, {}, write_to(story));
  EXPECT_LT((x - Matrix<double>::Ones(2, 1)).norm(), 1e-2);  // a first-order method is slow in this valley
  check_story(story, summary);
}

TEST(NonlinearCg, EveryStepDecreasesEnough) {
  test::Rosenbrock objective;
  Matrix<double> x = kFar;
  Story story;
  const NonlinearCgOptions options{.max_iterations = 50};
  (void)nonlinear_cg(kPlane, objective, x, options, {}, write_to(story));
  for (std::size_t i = 1; i < story.size(); ++i) {
    EXPECT_LT(story[i].objective, story[i - 1].objective);
    EXPECT_LE(story[i].inner_iterations, options.max_backtracks);
    EXPECT_GE(story[i].inner_iterations, 1);
    EXPECT_GT(story[i].step, 0.0);
  }
}

TEST(NonlinearCg, AsksForTheAccuracyThatTheGradientAllows) {
  test::AccuracyLog objective;
  Matrix<double> x = kFar;
  double gradient = 0.0;  // where the step under way began
  const auto observe = [&](const IterationRecord& record, const auto&, const auto&) {
    EXPECT_EQ(objective.asked.empty(), record.iteration == 0);
    for (const double asked : objective.asked) EXPECT_EQ(asked, gradient);
    objective.asked.clear();
    gradient = record.relative_gradient;
    return Flow::kContinue;
  };
  const Summary summary = nonlinear_cg(kPlane, objective, x, {.max_iterations = 30}, {}, observe);
  EXPECT_GT(summary.iterations, 10);
  ASSERT_EQ(objective.at_start.size(), 1U);
  EXPECT_TRUE(std::isinf(objective.at_start[0]));
}

TEST(NonlinearCg, StopsAtTheIterationLimit) {
  test::Rosenbrock objective;
  for (const int limit : {0, 4}) {
    Matrix<double> x = kFar;
    Story story;
    const Summary summary =
        nonlinear_cg(kPlane, objective, x, {.max_iterations = limit}, {}, write_to(story));
    EXPECT_EQ(summary.reason, StopReason::kMaxIterations);
    EXPECT_EQ(summary.iterations, limit);
    check_story(story, summary);
  }
}

TEST(NonlinearCg, StopsWhenTheObserverSaysSo) {
  for (const int last : {0, 1, 4}) {
    test::Rosenbrock objective;
    Matrix<double> x = kFar;
    Matrix<double> seen;
    const auto observe = [&](const IterationRecord& record, const Matrix<double>& at,
                             const test::CostState&) {
      seen = at;
      return record.iteration == last ? Flow::kStop : Flow::kContinue;
    };
    const Summary summary = nonlinear_cg(kPlane, objective, x, {}, {}, observe);
    EXPECT_EQ(summary.reason, StopReason::kStopped);
    EXPECT_EQ(summary.iterations, last);
    EXPECT_EQ(x, seen);
  }
}

TEST(NonlinearCg, StopsWhenInterruptedAndKeepsTheBestPoint) {
  for (const int polls_before : {0, 1, 7}) {
    test::Rosenbrock objective;
    Matrix<double> x = kFar;
    Story story;
    int polls = 0;
    const Summary summary = nonlinear_cg(
        kPlane, objective, x, {}, [&] { return ++polls > polls_before; }, write_to(story));
    EXPECT_EQ(summary.reason, StopReason::kStopped);
    check_story(story, summary);
    test::CostState state;
    objective.evaluate(x, nullptr, state);
    EXPECT_EQ(state.cost, summary.objective);
  }
}

// The cost goes up wherever the gradient says down.
class Liar : public test::Rosenbrock {
 public:
  void gradient(const Matrix<double>& x, const State& state, Matrix<double>& out) const {
    Rosenbrock::gradient(x, state, out);
    out *= -1.0;
  }
};

TEST(NonlinearCg, GivesUpWhenNoStepDecreasesTheCost) {
  Liar objective;
  Matrix<double> x = kFar;
  Story story;
  const Summary summary = nonlinear_cg(kPlane, objective, x, {}, {}, write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kNoFurtherDecrease);
  EXPECT_EQ(summary.iterations, 0);
  EXPECT_EQ(x, kFar);
}

TEST(NonlinearCg, HasNothingToDoAtTheMinimum) {
  test::Rosenbrock objective;
  Matrix<double> x = Matrix<double>::Ones(2, 1);
  Story story;
  const Summary summary =
      nonlinear_cg(kPlane, objective, x, {.gradient_tolerance = 0.0}, {}, write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
  EXPECT_EQ(story.size(), 1U);
}

}  // namespace
}  // namespace lacuna
