// SPDX-License-Identifier: MIT
// Problems D and P against the same formulas written with dense matrices.
#include <gtest/gtest.h>

#include "problem/dual_problem.hpp"
#include "problem/primal_problem.hpp"
#include "support/dense_problem.hpp"
#include "support/objective_laws.hpp"
#include "support/problem_case.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::DenseProblem;
using test::distance;
using test::norm;
using test::PointOf;
using test::ProblemCase;

constexpr double kSolved = 1e-11;    // inner solves to 1e-13, times the condition of small systems
constexpr double kRounding = 1e-12;  // sums of a few hundred terms

using Dual = DualProblem<double>;
using Primal = PrimalProblem<double>;
using Point = std::vector<Matrix<double>>;

class DenseDual : public testing::TestWithParam<test::ProblemShape> {
 protected:
  test::WithThreads one_{1};  // more are not worth waking for problems this small
  ProblemCase<double> problem_{GetParam(), 300};
  DenseProblem dense_{problem_};
  ProductManifold<double> manifold_ = problem_.manifold();
  Dual dual_{problem_.data, test::kExactSolves};
  Rng rng_{301};
  Point u_ = problem_.random_point(rng_);
};

TEST_P(DenseDual, EqualsItsDenseTwin) {
  const Eigen::VectorXd z = dense_.solve(u_, dense_.y());
  const PointOf<ProductManifold<double>, Dual> at(manifold_, dual_, u_);
  const double cost = 0.5 * dense_.y().dot(z);
  EXPECT_NEAR(at.cost(), cost, kSolved * cost);
  const Point gradient = dense_.dual_gradient(u_);
  EXPECT_LT(distance(manifold_, at.euclidean_gradient(), gradient), kSolved * norm(manifold_, gradient));
  const Point direction = test::random_tangent(manifold_, u_, rng_);
  const Point product = dense_.dual_hessian(u_, direction);
  EXPECT_LT(distance(manifold_, at.euclidean_hessian(direction), product),
            10 * kSolved * norm(manifold_, product));
}

TEST_P(DenseDual, ZSolvesTheSystemAndTheCostIsHalfTheProductWithY) {
  Dual::State state;
  dual_.evaluate(u_, nullptr, state);
  const Eigen::Map<const Eigen::VectorXd> z(state.z.data(), dense_.y().size());
  EXPECT_LT((dense_.system(u_) * z - dense_.y()).norm(), kSolved * dense_.y().norm());
  EXPECT_NEAR(state.cost, 0.5 * dense_.y().dot(z), kSolved * state.cost);
  // The misfit is ||w^1/2 (Y - W_Omega)||, and Z = 2 w (Y - W_Omega), with w the weights.
  const Eigen::VectorXd root = dense_.weight().cwiseSqrt();
  const Eigen::VectorXd miss = dense_.y() - dense_.kernel(u_, u_) * z;
  EXPECT_NEAR(state.misfit, miss.cwiseProduct(root).norm(), kSolved * dense_.y().norm());
  EXPECT_NEAR(state.misfit, 0.5 * z.cwiseQuotient(root).norm(), kSolved * dense_.y().norm());
}

TEST_P(DenseDual, IsTheMaximumOverZ) {
  const Eigen::MatrixXd a = dense_.system(u_);
  Dual::State state;
  dual_.evaluate(u_, nullptr, state);
  // <Z,Y> - 1/4 sum_e z_e^2 / w_e - sum_p lambda_p/2 ||U_p' Z_p||^2 = <Z,Y> - 1/2 <Z, A Z>
  const auto value = [&](const Eigen::VectorXd& z) { return z.dot(dense_.y()) - 0.5 * z.dot(a * z); };
  const Eigen::Map<const Eigen::VectorXd> best(state.z.data(), dense_.y().size());
  EXPECT_NEAR(value(best), state.cost, kSolved * state.cost);
  for (int trial = 0; trial < 5; ++trial) {
    Eigen::VectorXd other = best;
    for (double& entry : other) entry += 1e-3 * rng_.normal();
    EXPECT_LT(value(other), state.cost);
  }
}

TEST_P(DenseDual, ALooseSolveErrsToSecondOrderAndFromBelow) {
  const Eigen::VectorXd exact = dense_.solve(u_, dense_.y());
  const double cost = 0.5 * dense_.y().dot(exact);
  Dual loose(problem_.data, {.loosest = 0.05, .tightest = 0.05});
  Dual::State state;
  loose.evaluate(u_, nullptr, state);
  const Eigen::Map<const Eigen::VectorXd> z(state.z.data(), dense_.y().size());
  const Eigen::VectorXd residual = dense_.y() - dense_.system(u_) * z;
  ASSERT_GT(residual.norm(), 1e-6 * dense_.y().norm());
  const double missing = 0.5 * residual.dot(dense_.solve(u_, residual));
  EXPECT_NEAR(cost - state.cost, missing, kSolved * cost);
  // The estimate replaces A by its diagonal: the right size, not the right number.
  EXPECT_GT(state.uncertainty, missing / 30);
  EXPECT_LT(state.uncertainty, missing * 30);
}

INSTANTIATE_TEST_SUITE_P(Shapes, DenseDual, testing::ValuesIn(test::problem_shapes()), test::shape_name);

// The value of D where every entry of weight 2 is listed twice instead: the kernel has a row and a column for
// each listing, and all weights are 1.
double cost_of_repeated_entries(const ProblemCase<double>& problem, const Point& u) {
  Entries list{.cells = Cells(problem.tensor.order()), .value = {}};
  for (Count e = 0; e < problem.tensor.size(); ++e)
    for (int listed = 0; listed < problem.tensor.weight(e); ++listed) {
      list.cells.add(problem.tensor.cells(), e);
      list.value.push_back(problem.tensor.values()[e]);
    }
  const auto size = static_cast<Eigen::Index>(list.size());
  const std::vector<double> ones(list.value.size(), 1.0);
  Eigen::MatrixXd system = 0.5 * Eigen::MatrixXd::Identity(size, size);
  for (std::size_t p = 0; p < u.size(); ++p) {
    const PartSpec& part = problem.data.parts()[p].part();
    test::NaivePart(test::NaivePart::rows_of(problem.tensor, part), list.cells, ones, part,
                    problem.tensor.modes())
        .add_dense(u[p], u[p], problem.data.lambda()[p], system);
  }
  const Eigen::Map<const Eigen::VectorXd> y(list.value.data(), size);
  return 0.5 * y.dot(system.ldlt().solve(y));
}

TEST(DenseDualWeights, AWeightOfTwoIsTheEntryTwice) {
  const test::WithThreads one(1);
  for (test::ProblemShape shape : test::problem_shapes()) {
    SCOPED_TRACE(shape.name);
    shape.weighted = false;
    shape.whole_weights = true;
    const ProblemCase<double> problem(shape, 318);
    Rng rng(319);
    const Point u = problem.random_point(rng);
    Dual dual(problem.data, test::kExactSolves);
    Dual::State state;
    dual.evaluate(u, nullptr, state);
    const double twice = cost_of_repeated_entries(problem, u);
    EXPECT_NEAR(state.cost, twice, kSolved * twice);
  }
}

TEST(DenseDualTolerance, IsHeldAgainstTheMisfitWhateverTheUnitOfTheWeights) {
  // Weights c at lambda are weights 1 at c lambda, with Z c times as long.
  const test::WithThreads one(1);
  const test::ProblemShape shape = test::problem_shapes()[1];
  const ProblemCase<double> plain(shape, 320);
  Rng rng(321);
  const Point u = plain.random_point(rng);
  for (const double c : {1.0 / 1024, 1024.0}) {
    Entries entries = test::entries_of(plain.tensor);
    entries.weight.assign(entries.value.size(), c);
    const ObservedTensor tensor = *ObservedTensor::create(plain.tensor.modes(), entries);
    std::vector<double> lambda = plain.data.lambda();
    for (double& value : lambda) value /= c;
    const ProblemData<double> data(tensor, shape.parts, lambda);
    Dual one_dual(plain.data, {});
    Dual other(data, {});
    Dual::State here;
    Dual::State there;
    one_dual.evaluate(u, nullptr, here);
    other.evaluate(u, nullptr, there);
    EXPECT_EQ(one_dual.operator_applications(), other.operator_applications());
    EXPECT_DOUBLE_EQ(there.cost, c * here.cost);
  }
}

TEST(DenseDualTolerance, FollowsTheGradient) {
  const test::WithThreads one(1);
  const ProblemCase<double> problem(test::problem_shapes()[1], 316);
  Dual dual(problem.data, {.loosest = 1e-1, .tightest = 1e-9, .forcing = 1e-6});
  const DenseProblem dense(problem);
  Rng rng(317);
  const Point u = problem.random_point(rng);
  const auto residual = [&](const Dual::State& state) {
    const Eigen::Map<const Eigen::VectorXd> z(state.z.data(), dense.y().size());
    return (dense.y() - dense.system(u) * z).norm() / z.norm();
  };
  Dual::State state;
  dual.evaluate(u, nullptr, state);
  EXPECT_LE(residual(state), 2e-1);  // ||Z|| need be known to a factor of 2 only
  EXPECT_GT(residual(state), 1e-5);  // no better than asked
  Point gradient = u;
  dual.gradient(u, state, gradient);
  Dual::State unasked;  // a gradient computed before changes nothing
  dual.evaluate(u, nullptr, unasked);
  EXPECT_EQ(unasked.z, state.z);
  Dual::State next;
  dual.evaluate(u, &state, next, {.relative_gradient = 1.0});
  EXPECT_LE(residual(next), 1e-5);
}

class DensePrimal : public testing::TestWithParam<test::ProblemShape> {
 protected:
  test::WithThreads one_{1};
  ProblemCase<double> problem_{GetParam(), 400};
  DenseProblem dense_{problem_};
  ProductManifold<double> manifold_ = problem_.manifold(true);
  Primal primal_{problem_.data};
  Rng rng_{401};
  Point x_ = problem_.random_point(rng_, true);
};

TEST_P(DensePrimal, EqualsItsDenseTwin) {
  const PointOf<ProductManifold<double>, Primal> at(manifold_, primal_, x_);
  const double cost = dense_.primal_cost(x_);
  EXPECT_NEAR(at.cost(), cost, kRounding * cost);
  const Point gradient = dense_.primal_gradient(x_);
  EXPECT_LT(distance(manifold_, at.euclidean_gradient(), gradient), kRounding * norm(manifold_, gradient));
  const Point direction = test::random_tangent(manifold_, x_, rng_);
  const Point product = dense_.primal_hessian(x_, direction);
  EXPECT_LT(distance(manifold_, at.euclidean_hessian(direction), product),
            kRounding * norm(manifold_, product));
}

INSTANTIATE_TEST_SUITE_P(Shapes, DensePrimal, testing::ValuesIn(test::problem_shapes()), test::shape_name);

}  // namespace
}  // namespace lacuna
