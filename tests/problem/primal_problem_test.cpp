// SPDX-License-Identifier: MIT
// Problem P: its derivatives, its identities, and its dense twin.
#include "problem/primal_problem.hpp"

#include <gtest/gtest.h>

#include "solver/trust_region.hpp"
#include "support/objective_laws.hpp"
#include "support/problem_case.hpp"
#include "support/solver_story.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::PointOf;
using test::ProblemCase;

constexpr double kRounding = 1e-12;  // sums of a few hundred terms

using Primal = PrimalProblem<double>;
using Point = std::vector<Matrix<double>>;

class PrimalProblemOf : public testing::TestWithParam<test::ProblemShape> {
 protected:
  test::WithThreads one_{1};  // more are not worth waking for problems this small
  ProblemCase<double> problem_{GetParam(), 400};
  ProductManifold<double> manifold_ = problem_.manifold(true);
  Primal primal_{problem_.data};
  Rng rng_{401};
  Point x_ = problem_.random_point(rng_, true);
};

TEST_P(PrimalProblemOf, DerivativesHaveTheRightOrder) {
  test::check_objective_laws(manifold_, primal_, x_, rng_);
}

TEST_P(PrimalProblemOf, WithoutZIsTheWeightedNormOfTheData) {
  x_.back().setZero();
  const PointOf<ProductManifold<double>, Primal> at(manifold_, primal_, x_);
  double squared = 0.0;
  for (Count e = 0; e < problem_.tensor.size(); ++e)
    squared += problem_.tensor.weight(e) * problem_.tensor.values()[e] * problem_.tensor.values()[e];
  EXPECT_NEAR(at.cost(), squared, kRounding * squared);
  Primal::State state;
  EXPECT_NEAR(primal_.gradient_scale(state), squared, kRounding * squared);
}

TEST_P(PrimalProblemOf, DependsOnLambdaTimesZAlone) {
  constexpr double kFactor = 2.5;
  std::vector<double> lambda = problem_.data.lambda();
  for (double& weight : lambda) weight *= kFactor;
  const PointOf<ProductManifold<double>, Primal> before(manifold_, primal_, x_);
  problem_.data.set_lambda(lambda);
  Point y = x_;
  y.back() /= kFactor;
  const PointOf<ProductManifold<double>, Primal> after(manifold_, primal_, y);
  EXPECT_NEAR(before.cost(), after.cost(), kRounding * before.cost());
}

INSTANTIATE_TEST_SUITE_P(Shapes, PrimalProblemOf, testing::ValuesIn(test::problem_shapes()),
                         test::shape_name);

TEST(PrimalProblem, GradientOfSixModesHasTheRightOrder) {
  const test::WithThreads one(1);
  const ProblemCase<double> problem({.name = "six modes",
                                     .extents = {3, 2, 3, 2, 2, 3},
                                     .entries = 120,
                                     .parts = full_parts(6),
                                     .ranks = {2, 1, 2, 2, 1, 3}},
                                    410);
  Primal primal(problem.data);
  Rng rng(411);
  test::check_gradient_slope(problem.manifold(true), primal, problem.random_point(rng, true), rng);
}

TEST(PrimalProblem, AnswersAboutAnyOfItsStates) {
  const test::WithThreads one(1);
  const ProblemCase<double> problem(
      {.name = "small", .extents = {7, 6, 5}, .entries = 110, .parts = full_parts(3), .ranks = {3, 2, 2}},
      412);
  Primal primal(problem.data);
  Rng rng(413);
  const Point first = problem.random_point(rng, true);
  const Point second = problem.random_point(rng, true);
  Primal::State at_first;
  Primal::State at_second;
  Point before = first;
  Point after = first;
  primal.evaluate(first, nullptr, at_first);
  primal.gradient(first, at_first, before);
  primal.evaluate(second, nullptr, at_second);
  primal.gradient(first, at_first, after);
  for (std::size_t p = 0; p < before.size(); ++p) EXPECT_EQ(before[p], after[p]);
}

TEST(PrimalProblem, HasTheSameBitsAtAnyThreadCount) {
  const ProblemCase<double> problem({.name = "large",
                                     .extents = {60, 50, 40},
                                     .entries = 30000,
                                     .parts = full_parts(3),
                                     .ranks = {3, 5, 2}},
                                    414);
  const ProductManifold<double> manifold = problem.manifold(true);
  Rng rng(415);
  const Point x = problem.random_point(rng, true);
  double cost = 0.0;
  Point gradient;
  for (const int threads : {1, 2, 3}) {
    const test::WithThreads scope(threads);
    Primal primal(problem.data);
    const PointOf<ProductManifold<double>, Primal> at(manifold, primal, x);
    if (threads == 1) {
      cost = at.cost();
      gradient = at.euclidean_gradient();
    }
    EXPECT_TRUE(test::same_bits(at.cost(), cost)) << threads << " threads";
    for (std::size_t p = 0; p < x.size(); ++p)
      EXPECT_TRUE(
          test::same_bits<double>(flat(at.euclidean_gradient()[p]), flat(std::as_const(gradient[p]))));
  }
}

TEST(PrimalProblem, TrustRegionDecreasesItAndItsRatiosTendToOne) {
  const test::WithThreads one(1);
  Rng rng(416);
  const ObservedTensor tensor = test::low_rank_tensor({9, 8, 7}, 1, 200, 0.0, rng);
  const ProblemData<double> data(tensor, full_parts(3), {9, 8, 7});
  const ProductManifold<double> manifold({Spectrahedron<double>(9, 1), Spectrahedron<double>(8, 1),
                                          Spectrahedron<double>(7, 1), Euclidean<double>(200)});
  Primal primal(data);
  Point x;
  manifold.random_point(rng, x);
  test::Story story;
  const Summary summary = trust_region(
      manifold, primal, x, {.max_iterations = 100, .gradient_tolerance = 1e-9}, {}, test::write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
  test::check_story(story, summary);
  test::check_last_ratios(story, 1);
}

}  // namespace
}  // namespace lacuna
