// SPDX-License-Identifier: MIT
// The trust region on problems whose minimum is known.
#include "solver/trust_region.hpp"

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

using test::check_last_ratios;
using test::check_story;
using test::random_matrix;
using test::Story;
using test::write_to;

// -C for a random positive definite C: the trace form's minimum is -1/2 of C's largest eigenvalue.
Matrix<double> negative_definite(Eigen::Index size, Rng& rng) {
  const Matrix<double> any = random_matrix<double>(size, size, rng);
  return -(any * any.transpose());
}

TEST(TrustRegion, FindsTheLargestEigenvalueOnTheSphere) {
  Rng rng(210);
  const Matrix<double> c = negative_definite(15, rng);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(c);
  test::TraceForm<double> rayleigh(c);
  const Spectrahedron<double> sphere(15, 1);
  Matrix<double> u = test::random_ambient(sphere, rng);
  Story story;
  const Summary summary =
      trust_region(sphere, rayleigh, u, {.gradient_tolerance = 1e-9}, {}, write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
  EXPECT_LE(summary.relative_gradient, 1e-9);
  EXPECT_NEAR(summary.objective, 0.5 * eigen.eigenvalues()(0), 1e-12 * std::abs(eigen.eigenvalues()(0)));
  EXPECT_NEAR(std::abs(u.col(0).dot(eigen.eigenvectors().col(0))), 1.0, 1e-12);
  check_story(story, summary);
  check_last_ratios(story);
}

TEST(TrustRegion, FindsTheLargestEigenvalueWithSpareColumns) {
  Rng rng(211);
  const Matrix<double> c = negative_definite(15, rng);
  const double smallest = Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd>(c).eigenvalues()(0);
  test::TraceForm<double> objective(c);
  const Spectrahedron<double> manifold(15, 4);
  Matrix<double> u = test::random_ambient(manifold, rng);
  Story story;
  const Summary summary =
      trust_region(manifold, objective, u, {.gradient_tolerance = 1e-7}, {}, write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
  EXPECT_NEAR(summary.objective, 0.5 * smallest, 1e-10 * std::abs(smallest));
  test::expect_on(manifold, u, 1e-13);
  check_story(story, summary);
  check_last_ratios(story);
}

TEST(TrustRegion, FindsAFullRankTheta) {
  Rng rng(212);
  const Spectrahedron<double> manifold(10, 3);
  const Matrix<double> factor = test::random_ambient(manifold, rng);
  const Matrix<double> target = factor * factor.transpose();
  test::NearestTheta objective(target);
  Matrix<double> u = test::random_ambient(manifold, rng);
  Story story;
  const Summary summary =
      trust_region(manifold, objective, u, {.gradient_tolerance = 1e-9}, {}, write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
  EXPECT_LT((u * u.transpose() - target).norm(), 1e-7);
  check_story(story, summary);
  check_last_ratios(story);
}

TEST(TrustRegion, SolvesAQuadraticAsItsModelIs) {
  Rng rng(213);
  const Matrix<double> any = random_matrix<double>(12, 12, rng);
  const Matrix<double> a = any * any.transpose() + Matrix<double>::Identity(12, 12);
  const Matrix<double> b = random_matrix<double>(12, 1, rng);
  test::Quadratic objective(a, b);
  const Euclidean<double> space(12);
  Matrix<double> x = Matrix<double>::Zero(12, 1);
  Story story;
  const Summary summary =
      trust_region(space, objective, x, {.gradient_tolerance = 1e-10}, {}, write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
  EXPECT_LT((x - a.ldlt().solve(b)).norm(), 1e-9);
  check_story(story, summary);
  constexpr double kVisible = 1e-9;  // smaller decreases are mostly rounding
  for (std::size_t i = 1; i < story.size(); ++i)
    if (story[i - 1].objective - story[i].objective > kVisible) {
      EXPECT_NEAR(story[i].ratio, 1.0, 1e-5);
    }
}

TEST(TrustRegion, WalksRosenbrocksValley) {
  const Euclidean<double> plane(2);
  test::Rosenbrock objective;
  Matrix<double> x{{-1.2}, {1.0}};
  Story story;
  const Summary summary =
      trust_region(plane, objective, x, {.gradient_tolerance = 1e-9}, {}, write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
  EXPECT_LT((x - Matrix<double>::Ones(2, 1)).norm(), 1e-8);
  EXPECT_LT(summary.iterations, 60);
  check_story(story, summary);
  check_last_ratios(story, 1);
}

class CountedRosenbrock : public test::Rosenbrock {
 public:
  void evaluate(const Matrix<double>& p, const State* near, State& state) {
    ++evaluations;
    test::Rosenbrock::evaluate(p, near, state);
  }
  void hessian(const Matrix<double>& p, const State& state, const Matrix<double>& v, Matrix<double>& out) {
    ++products;
    test::Rosenbrock::hessian(p, state, v, out);
  }
  int evaluations = 0;
  int products = 0;
};

// The path to a rejected step passed through the answers for smaller balls.
TEST(TrustRegion, TriesSmallerStepsWithoutHessianProducts) {
  const Euclidean<double> plane(2);
  CountedRosenbrock objective;
  Matrix<double> x{{-1.2}, {1.0}};
  Story story;
  const Summary summary =
      trust_region(plane, objective, x, {.gradient_tolerance = 1e-9}, {}, write_to(story));
  int asked = 0;
  for (const IterationRecord& record : story) asked += record.inner_iterations;
  EXPECT_EQ(objective.products, asked);
  EXPECT_GT(objective.evaluations, summary.iterations + 1);  // + 1: the start
  EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
}

TEST(TrustRegion, LeavesASaddle) {
  // Started next to a saddle of the Rayleigh quotient it must follow the negative curvature away.
  Rng rng(214);
  const Matrix<double> c = negative_definite(8, rng);
  const Eigen::SelfAdjointEigenSolver<Eigen::MatrixXd> eigen(c);
  test::TraceForm<double> rayleigh(c);
  const Spectrahedron<double> sphere(8, 1);
  Matrix<double> u = eigen.eigenvectors().col(3) + 1e-5 * eigen.eigenvectors().col(0);
  sphere.normalize(u);
  Story story;
  const Summary summary =
      trust_region(sphere, rayleigh, u, {.gradient_tolerance = 1e-8}, {}, write_to(story));
  EXPECT_NEAR(summary.objective, 0.5 * eigen.eigenvalues()(0), 1e-10 * std::abs(eigen.eigenvalues()(0)));
  check_story(story, summary);
}

TEST(TrustRegion, StepsStayWithinTheRadius) {
  Rng rng(215);
  test::TraceForm<double> objective(negative_definite(15, rng));
  const Spectrahedron<double> manifold(15, 2);
  Matrix<double> u = test::random_ambient(manifold, rng);
  Story story;
  const TrustRegionOptions options{.initial_radius = 0.05, .max_radius = 0.1};
  (void)trust_region(manifold, objective, u, options, {}, write_to(story));
  const double unit = manifold.typical_distance();
  EXPECT_NEAR(story[0].radius, 0.05 * unit, 1e-15);
  for (std::size_t i = 1; i < story.size(); ++i) {
    EXPECT_LE(story[i].step, story[i - 1].radius * (1 + 1e-12));
    EXPECT_LE(story[i].radius, 0.1 * unit * (1 + 1e-12));
  }
}

// Counts what a solver asks for; the gradient's sign is wrong on demand, so that no step can decrease the
// cost.
class Watched : public test::Rosenbrock {
 public:
  explicit Watched(double gradient_sign = 1.0) : sign_(gradient_sign) {}
  void evaluate(const Matrix<double>& x, const State* near, State& state) {
    ++evaluations;
    Rosenbrock::evaluate(x, near, state);
  }
  void gradient(const Matrix<double>& x, const State& state, Matrix<double>& out) const {
    Rosenbrock::gradient(x, state, out);
    out *= sign_;
  }
  int evaluations = 0;

 private:
  double sign_;
};

const Euclidean<double> kPlane(2);
const Matrix<double> kFar{{-1.2}, {1.0}};

TEST(TrustRegion, AsksForTheAccuracyThatTheGradientAllows) {
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
  const Summary summary = trust_region(kPlane, objective, x, {.max_iterations = 30}, {}, observe);
  EXPECT_GT(summary.iterations, 10);
  ASSERT_EQ(objective.at_start.size(), 1U);
  EXPECT_TRUE(std::isinf(objective.at_start[0]));
}

TEST(TrustRegion, StopsAtTheIterationLimit) {
  Watched objective;
  for (const int limit : {0, 3}) {
    Matrix<double> x = kFar;
    Story story;
    const Summary summary =
        trust_region(kPlane, objective, x, {.max_iterations = limit}, {}, write_to(story));
    EXPECT_EQ(summary.reason, StopReason::kMaxIterations);
    EXPECT_EQ(summary.iterations, limit);
    EXPECT_EQ(story.size(), static_cast<std::size_t>(limit) + 1);
    EXPECT_FALSE(converged(summary.reason));
    check_story(story, summary);
  }
}

TEST(TrustRegion, StopsWhenTheObserverSaysSo) {
  for (const int last : {0, 1, 4}) {
    Watched objective;
    Matrix<double> x = kFar;
    Matrix<double> seen;
    const auto observe = [&](const IterationRecord& record, const Matrix<double>& at, const Watched::State&) {
      seen = at;
      return record.iteration == last ? Flow::kStop : Flow::kContinue;
    };
    const Summary summary = trust_region(kPlane, objective, x, {}, {}, observe);
    EXPECT_EQ(summary.reason, StopReason::kStopped);
    EXPECT_EQ(summary.iterations, last);
    EXPECT_EQ(objective.evaluations, last + 1);
    EXPECT_EQ(x, seen);
  }
}

TEST(TrustRegion, StopsWhenInterruptedAndKeepsTheBestPoint) {
  for (const int polls_before : {0, 1, 5, 20}) {
    Watched objective;
    Matrix<double> x = kFar;
    Story story;
    int polls = 0;
    const Summary summary = trust_region(
        kPlane, objective, x, {}, [&] { return ++polls > polls_before; }, write_to(story));
    EXPECT_EQ(summary.reason, StopReason::kStopped);
    EXPECT_EQ(polls, polls_before + 1);
    check_story(story, summary);
    Watched::State state;
    objective.evaluate(x, nullptr, state);
    EXPECT_EQ(state.cost, summary.objective);
  }
}

TEST(TrustRegion, HandsBackTheStateOfTheLastPoint) {
  Watched objective;
  Matrix<double> x = kFar;
  Watched::State state;
  Story story;
  const Summary summary =
      trust_region(kPlane, objective, x, state, {.max_iterations = 7}, {}, write_to(story));
  EXPECT_EQ(state.cost, summary.objective);
}

TEST(TrustRegion, GivesUpWhenNoStepDecreasesTheCost) {
  Watched objective(-1.0);
  Matrix<double> x = kFar;
  Story story;
  const Summary summary = trust_region(kPlane, objective, x, {}, {}, write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kNoFurtherDecrease);
  EXPECT_EQ(x, kFar);
  for (std::size_t i = 1; i < story.size(); ++i) EXPECT_FALSE(story[i].accepted);
}

// 1/2 x'Ax with a gradient of limited accuracy, as of an objective that is computed by inner solves.
class Blurred : public test::Quadratic {
 public:
  struct State {
    double cost = 0.0;
    Matrix<double> error;
  };
  Blurred(Matrix<double> a, double error)
      : Quadratic(a, Matrix<double>::Zero(a.rows(), 1)), size_(a.rows()), error_(error) {}

  [[nodiscard]] double cost(const State& state) const { return state.cost; }
  [[nodiscard]] double uncertainty(const State&) const { return 1e-5; }
  [[nodiscard]] double gradient_scale(const State&) const { return 1.0; }
  void evaluate(const Matrix<double>& x, const State*, State& state) {
    test::CostState exact;
    Quadratic::evaluate(x, nullptr, exact);
    state = {.cost = kLeast + exact.cost, .error = error_ * random_matrix<double>(size_, 1, rng_)};
  }
  void gradient(const Matrix<double>& x, const State& state, Matrix<double>& out) const {
    Quadratic::gradient(x, {}, out);
    out += state.error;
  }
  void hessian(const Matrix<double>& x, const State&, const Matrix<double>& v, Matrix<double>& out) const {
    Quadratic::hessian(x, {}, v, out);
  }

 private:
  static constexpr double kLeast =
      100.0;  // what is idle is told by the cost, as in problem D, whose least is far from 0
  Eigen::Index size_;
  double error_;
  Rng rng_{216};
};

TEST(TrustRegion, EndsWhereStepsGainNothingThatCanBeTold) {
  Rng rng(215);
  const Matrix<double> any = random_matrix<double>(12, 12, rng);
  const Matrix<double> a = any * any.transpose() + Matrix<double>::Identity(12, 12);
  for (const double error : {1e-4, 0.0}) {
    Blurred objective(a, error);
    Matrix<double> x = Matrix<double>::Ones(12, 1);
    const Summary summary = trust_region(Euclidean<double>(12), objective, x, {.gradient_tolerance = 1e-12},
                                         {}, [](const auto&...) { return Flow::kContinue; });
    // An exact gradient falls to any tolerance, however uncertain the cost.
    EXPECT_EQ(summary.reason, error > 0.0 ? StopReason::kWithinAccuracy : StopReason::kGradientTolerance);
    EXPECT_TRUE(converged(summary.reason));
    EXPECT_LT(summary.iterations, 40);
    EXPECT_LT(x.norm(), 1e-2);
  }
}

TEST(TrustRegion, HasNothingToDoAtTheMinimum) {
  Watched objective;
  Matrix<double> x = Matrix<double>::Ones(2, 1);
  Story story;
  const Summary summary =
      trust_region(kPlane, objective, x, {.gradient_tolerance = 0.0}, {}, write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
  EXPECT_EQ(summary.iterations, 0);
  EXPECT_EQ(objective.evaluations, 1);
}

TEST(StopReason, TellsSolvedFromGivenUp) {
  EXPECT_TRUE(converged(StopReason::kGradientTolerance));
  EXPECT_TRUE(converged(StopReason::kNoFurtherDecrease));
  EXPECT_FALSE(converged(StopReason::kMaxIterations));
  EXPECT_FALSE(converged(StopReason::kStopped));
  for (const StopReason reason :
       {StopReason::kGradientTolerance, StopReason::kNoFurtherDecrease, StopReason::kMaxIterations,
        StopReason::kStopped, StopReason::kWithinAccuracy})
    EXPECT_FALSE(describe(reason).empty());
}

}  // namespace
}  // namespace lacuna
