// SPDX-License-Identifier: MIT
// Problem D: its derivatives, its identities, and its dense twin.
#include "problem/dual_problem.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "solver/trust_region.hpp"
#include "support/objective_laws.hpp"
#include "support/problem_case.hpp"
#include "support/solver_story.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::distance;
using test::kExactSolves;
using test::norm;
using test::PointOf;
using test::ProblemCase;

constexpr double kSolved = 1e-11;  // inner solves to 1e-13, times the condition of small systems

using Dual = DualProblem<double>;
using Point = std::vector<Matrix<double>>;

class DualProblemOf : public testing::TestWithParam<test::ProblemShape> {
 protected:
  test::WithThreads one_{1};  // more are not worth waking for problems this small
  ProblemCase<double> problem_{GetParam(), 300};
  ProductManifold<double> manifold_ = problem_.manifold();
  Dual dual_{problem_.data, kExactSolves};
  Rng rng_{301};
  Point u_ = problem_.random_point(rng_);
};

TEST_P(DualProblemOf, DerivativesHaveTheRightOrder) {
  test::check_objective_laws(manifold_, dual_, u_, rng_);
}

TEST_P(DualProblemOf, ScalingTheDataScalesTheCostByTheSquare) {
  constexpr double kFactor = 3.5;
  const ProblemCase<double> scaled(GetParam(), 300, kFactor);
  Dual larger(scaled.data, kExactSolves);
  const PointOf<ProductManifold<double>, Dual> here(manifold_, dual_, u_);
  const PointOf<ProductManifold<double>, Dual> there(manifold_, larger, u_);
  EXPECT_NEAR(there.cost(), kFactor * kFactor * here.cost(), kSolved * there.cost());
  Point gradient = here.gradient();
  manifold_.scale(kFactor * kFactor, gradient);
  EXPECT_LT(distance(manifold_, there.gradient(), gradient), kSolved * norm(manifold_, gradient));
}

TEST_P(DualProblemOf, SinglePrecisionAgrees) {
  const ProblemCase<float> single(GetParam(), 300);
  DualProblem<float> rough(single.data, kExactSolves);
  const ProductManifold<float> manifold = single.manifold();
  std::vector<Matrix<float>> u;
  for (const Matrix<double>& factor : u_) u.push_back(factor.cast<float>());
  const PointOf<ProductManifold<double>, Dual> fine_at(manifold_, dual_, u_);
  const PointOf<ProductManifold<float>, DualProblem<float>> rough_at(manifold, rough, u);
  constexpr double kSingle =
      1e-4;  // solves to 1e-5 and the roundings of float, in systems of condition below 100
  EXPECT_NEAR(rough_at.cost(), fine_at.cost(), kSingle * fine_at.cost());
  Point gradient;
  for (const Matrix<float>& part : rough_at.euclidean_gradient()) gradient.push_back(part.cast<double>());
  EXPECT_LT(distance(manifold_, gradient, fine_at.euclidean_gradient()),
            10 * kSingle * norm(manifold_, fine_at.euclidean_gradient()));
  // Asked for more than float can give, it does what it can and no more.
  DualProblem<float> reachable(
      single.data, {.loosest = 1e-5, .tightest = 1e-5, .hessian_loosest = 1e-3, .hessian_tightest = 1e-3});
  const PointOf<ProductManifold<float>, DualProblem<float>> reachable_at(manifold, reachable, u);
  EXPECT_EQ(rough.operator_applications(), reachable.operator_applications());
}

INSTANTIATE_TEST_SUITE_P(Shapes, DualProblemOf, testing::ValuesIn(test::problem_shapes()), test::shape_name);

const test::ProblemShape kSmall{
    .name = "small", .extents = {7, 6, 5}, .entries = 110, .parts = full_parts(3), .ranks = {3, 2, 2}};

TEST(DualProblem, GradientOfSixModesHasTheRightOrder) {
  const test::WithThreads one(1);
  const ProblemCase<double> problem({.name = "six modes",
                                     .extents = {3, 2, 3, 2, 2, 3},
                                     .entries = 120,
                                     .parts = full_parts(6),
                                     .ranks = {2, 1, 2, 2, 1, 3}},
                                    310);
  Dual dual(problem.data, kExactSolves);
  Rng rng(311);
  test::check_gradient_slope(problem.manifold(), dual, problem.random_point(rng), rng);
}

TEST(DualProblem, ANearStateSavesWork) {
  const test::WithThreads one(1);
  const ProblemCase<double> problem(kSmall, 312);
  Rng rng(313);
  const Point u = problem.random_point(rng);
  Point close = u;
  for (Matrix<double>& factor : close)
    factor += 1e-6 * test::random_matrix<double>(factor.rows(), factor.cols(), rng);
  Dual dual(problem.data, {.loosest = 1e-8, .tightest = 1e-8});
  Dual::State at;
  dual.evaluate(u, nullptr, at);
  const Count cold = dual.operator_applications();
  Dual::State warm;
  dual.evaluate(close, &at, warm);
  EXPECT_LT(dual.operator_applications() - cold, cold);
  EXPECT_NEAR(warm.cost, at.cost, 1e-4 * at.cost);

  Dual other(problem.data, {.loosest = 1e-8, .tightest = 1e-8});
  other.start_from(at.z);
  Dual::State started;
  other.evaluate(u, nullptr, started);
  EXPECT_LE(other.operator_applications(), 2);
  EXPECT_NEAR(started.cost, at.cost, 1e-12 * at.cost);
}

TEST(DualProblem, AnswersAboutAnyOfItsStates) {
  // The operator moves from point to point; a question about an earlier state must move it back.
  const test::WithThreads one(1);
  const ProblemCase<double> problem(kSmall, 314);
  const ProductManifold<double> manifold = problem.manifold();
  Dual dual(problem.data, kExactSolves);
  Rng rng(315);
  const Point first = problem.random_point(rng);
  const Point second = problem.random_point(rng);
  const Point direction = test::random_tangent(manifold, first, rng);
  Dual::State at_first;
  Dual::State at_second;
  Point before = first;
  Point after = first;
  dual.evaluate(first, nullptr, at_first);
  dual.hessian(first, at_first, direction, before);
  dual.evaluate(second, nullptr, at_second);
  dual.hessian(first, at_first, direction, after);
  for (std::size_t p = 0; p < before.size(); ++p) EXPECT_EQ(before[p], after[p]);
}

TEST(DualProblem, StopsSolvingWhenInterrupted) {
  const test::WithThreads one(1);
  const ProblemCase<double> problem(kSmall, 318);
  Dual dual(problem.data, kExactSolves, [] { return true; });
  Rng rng(319);
  Dual::State state;
  dual.evaluate(problem.random_point(rng), nullptr, state);
  EXPECT_EQ(dual.operator_applications(), 1);  // for the residual
}

// The same kinds of parts, of as many entries as three threads share; positions go on as they began.
test::ProblemShape enlarged(test::ProblemShape shape) {
  constexpr Count kEntries = 100000;
  constexpr double kCellsPerEntry = 3.0;
  double cells = 1.0;
  for (const Index extent : shape.extents) cells *= extent;
  const double factor =
      std::pow(kCellsPerEntry * kEntries / cells, 1.0 / static_cast<double>(shape.extents.size()));
  for (std::size_t k = 0; k < shape.extents.size(); ++k) {
    const std::size_t few = shape.extents[k];
    shape.extents[k] = static_cast<Index>(std::ceil(factor * static_cast<double>(few)));
    if (k >= shape.positions.size() || shape.positions[k].empty()) continue;
    std::vector<double>& at = shape.positions[k];
    const auto [low, high] = std::minmax_element(at.begin(), at.end());
    const double turn = (*high - *low) * static_cast<double>(few) / static_cast<double>(few - 1);
    while (at.size() < shape.extents[k]) at.push_back(at[at.size() - few] + turn);
  }
  shape.entries = kEntries;
  return shape;
}

void has_the_same_bits(const test::ProblemShape& shape) {
  const ProblemCase<double> problem(shape, 320);
  Rng rng(321);
  const ProductManifold<double> manifold = problem.manifold();
  const Point u = problem.random_point(rng);
  const Point direction = test::random_tangent(manifold, u, rng);
  double cost = 0.0;
  Point gradient;
  Point product;
  for (const int threads : {1, 2, 3}) {
    const test::WithThreads scope(threads);
    // What is laid out when a problem is made counts, too. Bits that differ do so after a few products.
    const ProblemData<double> data(problem.tensor, shape.parts, problem.data.lambda());
    Dual dual(data, {.max_cg_iterations = 2});
    const PointOf<ProductManifold<double>, Dual> at(manifold, dual, u);
    const Point here = at.euclidean_hessian(direction);
    if (threads == 1) {
      cost = at.cost();
      gradient = at.euclidean_gradient();
      product = here;
    }
    EXPECT_TRUE(test::same_bits(at.cost(), cost)) << threads << " threads";
    for (std::size_t p = 0; p < u.size(); ++p) {
      EXPECT_TRUE(
          test::same_bits<double>(flat(at.euclidean_gradient()[p]), flat(std::as_const(gradient[p]))));
      EXPECT_TRUE(test::same_bits<double>(flat(here[p]), flat(std::as_const(product[p]))));
    }
  }
}

TEST(DualProblem, HasTheSameBitsAtAnyThreadCount) {
  has_the_same_bits(enlarged(
      {.name = "large", .extents = {6, 5, 4}, .entries = 70, .parts = full_parts(3), .ranks = {3, 5, 2}}));
}

TEST(DualProblem, NearPartsHaveTheSameBitsAtAnyThreadCount) {
  for (const test::ProblemShape& shape : test::near_shapes()) {
    SCOPED_TRACE(shape.name);
    has_the_same_bits(enlarged(shape));
  }
}

TEST(DualProblem, SidePartsHaveTheSameBitsAtAnyThreadCount) {
  for (const test::ProblemShape& shape : test::side_shapes()) {
    SCOPED_TRACE(shape.name);
    has_the_same_bits(enlarged(shape));
  }
}

TEST(DualProblem, TrustRegionRatiosTendToOne) {
  const test::WithThreads one(1);
  Rng rng(322);
  const ObservedTensor tensor = test::low_rank_tensor({12, 11, 10}, 2, 600, 0.05, rng);
  const ProblemData<double> data(tensor, full_parts(3), {1.2, 1.1, 1.0});
  const ProductManifold<double> manifold(
      {Spectrahedron<double>(12, 3), Spectrahedron<double>(11, 3), Spectrahedron<double>(10, 3)});
  Dual dual(data, {.loosest = 1e-12, .tightest = 1e-12, .hessian_loosest = 1e-10, .hessian_tightest = 1e-10});
  Point u;
  manifold.random_point(rng, u);
  test::Story story;
  const Summary summary =
      trust_region(manifold, dual, u, {.gradient_tolerance = 1e-8}, {}, test::write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
  test::check_story(story, summary);
  test::check_last_ratios(story);
  test::expect_on(manifold, u, 1e-12);
}

TEST(DualProblem, TrustRegionConvergesWithTheDefaultInexactSolves) {
  const test::WithThreads one(1);
  Rng rng(323);
  const ObservedTensor tensor = test::low_rank_tensor({12, 11, 10}, 2, 600, 0.05, rng);
  const ProblemData<double> data(tensor, full_parts(3), {12, 11, 10});
  const ProductManifold<double> manifold(
      {Spectrahedron<double>(12, 3), Spectrahedron<double>(11, 3), Spectrahedron<double>(10, 3)});
  Dual dual(data, {});
  Point u;
  manifold.random_point(rng, u);
  test::Story story;
  const Summary summary =
      trust_region(manifold, dual, u, {.gradient_tolerance = 1e-6}, {}, test::write_to(story));
  EXPECT_EQ(summary.reason, StopReason::kGradientTolerance);
  EXPECT_LE(summary.relative_gradient, 1e-6);
}

TEST(DualProblem, AllZeroDataEndsAtOnce) {
  // What is left of constant data once its mean is taken out.
  const test::WithThreads one(1);
  const ProblemCase<double> problem(kSmall, 324, 0.0);
  const ProductManifold<double> manifold = problem.manifold();
  Dual dual(problem.data, {});
  Rng rng(325);
  Point u = problem.random_point(rng);
  test::Story story;
  const Summary summary = trust_region(manifold, dual, u, {}, {}, test::write_to(story));
  EXPECT_TRUE(converged(summary.reason));
  EXPECT_EQ(summary.objective, 0.0);
  EXPECT_EQ(summary.relative_gradient, 0.0);
  EXPECT_EQ(summary.iterations, 0);
  test::expect_on(manifold, u, 1e-12);
}

}  // namespace
}  // namespace lacuna
