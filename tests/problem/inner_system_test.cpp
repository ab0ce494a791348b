// SPDX-License-Identifier: MIT
// The system inside problem D against its dense matrix, to any tolerance, at any scale and condition.
#include "problem/inner_system.hpp"

#include <gtest/gtest.h>

#include "support/dense_problem.hpp"
#include "support/problem_case.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::DenseProblem;
using test::ProblemCase;
using Ending = InnerSystem<double>::Ending;

constexpr double kShift = 0.5;
constexpr int kMany = 5000;

class InnerSystemTest : public testing::TestWithParam<test::ProblemShape> {
 protected:
  [[nodiscard]] double dense_residual(const std::vector<double>& x, const Eigen::VectorXd& b) const {
    return (b - dense_.system(u_) * Eigen::Map<const Eigen::VectorXd>(x.data(), b.size())).norm();
  }
  [[nodiscard]] std::vector<double> zeros() const {
    return std::vector<double>(static_cast<std::size_t>(problem_.tensor.size()));
  }

  test::WithThreads one_{1};
  ProblemCase<double> problem_{GetParam(), 310};
  DenseProblem dense_{problem_};
  Rng rng_{311};
  std::vector<Matrix<double>> u_ = problem_.random_point(rng_);
};

TEST_P(InnerSystemTest, ReachesEveryTolerance) {
  InnerSystem<double> system(problem_.data, kShift, kMany, {});
  system.set_point(u_);
  for (const double relative : {0.3, 1e-2, 1e-5, 1e-9, 1e-13}) {
    const double tolerance = relative * dense_.y().norm();
    std::vector<double> x = zeros();
    EXPECT_TRUE(system.solve(problem_.data.y(), true, tolerance, Ending::kMeasured, x)) << relative;
    EXPECT_LE(dense_residual(x, dense_.y()), tolerance + 1e-13 * dense_.y().norm()) << relative;
    const Eigen::Map<const Eigen::VectorXd> told(system.residual().data(), dense_.y().size());
    EXPECT_NEAR(told.norm(), dense_residual(x, dense_.y()), 1e-13 * dense_.y().norm()) << relative;
  }
}

TEST_P(InnerSystemTest, GoesOnFromWhereItIs) {
  InnerSystem<double> system(problem_.data, kShift, kMany, {});
  system.set_point(u_);
  std::vector<double> x = zeros();
  EXPECT_TRUE(system.solve(problem_.data.y(), true, 1e-10 * dense_.y().norm(), Ending::kMeasured, x));
  const Count before = system.applications();
  EXPECT_TRUE(system.solve(problem_.data.y(), false, 1e-9 * dense_.y().norm(), Ending::kMeasured, x));
  EXPECT_EQ(system.applications(), before + 1);  // to see that it is solved
}

// The right side may stand where the residual will be, and a trusted ending keeps its word too.
TEST_P(InnerSystemTest, SolvesForWhatIsPutInItsResidual) {
  InnerSystem<double> system(problem_.data, kShift, kMany, {});
  system.set_point(u_);
  for (const Ending ending : {Ending::kMeasured, Ending::kEstimated})
    for (const double relative : {0.1, 1e-12}) {
      system.residual().assign(problem_.data.y().begin(), problem_.data.y().end());
      std::vector<double> x = zeros();
      const double tolerance = relative * dense_.y().norm();
      EXPECT_TRUE(system.solve(system.residual(), true, tolerance, ending, x));
      EXPECT_LE(dense_residual(x, dense_.y()), 1.01 * tolerance + 1e-13 * dense_.y().norm());
    }
}

TEST_P(InnerSystemTest, SinglePrecisionDoesWhatItCan) {
  const ProblemCase<float> narrow(GetParam(), 310);
  InnerSystem<float> system(narrow.data, kShift, kMany, {});
  std::vector<Matrix<float>> u;
  for (const Matrix<double>& factor : u_) u.emplace_back(factor.cast<float>());
  system.set_point(u);
  std::vector<float> x(narrow.data.y().size());
  const double tolerance = 1e-4 * dense_.y().norm();
  EXPECT_TRUE(system.solve(narrow.data.y(), true, tolerance, InnerSystem<float>::Ending::kMeasured, x));
  EXPECT_LE(dense_residual({x.begin(), x.end()}, dense_.y()), 2 * tolerance);
}

INSTANTIATE_TEST_SUITE_P(Shapes, InnerSystemTest, testing::ValuesIn(test::problem_shapes()),
                         test::shape_name);

class HardSystem : public testing::Test {
 protected:
  const test::ProblemShape shape_ = test::problem_shapes()[1];
  test::WithThreads one_{1};
  Rng rng_{321};
};

// Single precision resolves nothing of such a system; double precision still does.
TEST_F(HardSystem, LargeLambda) {
  ProblemCase<double> problem(shape_, 320);
  problem.data.set_lambda({1e10, 1e9, 1e10});
  const std::vector<Matrix<double>> u = problem.random_point(rng_);
  InnerSystem<double> system(problem.data, kShift, kMany, {});
  system.set_point(u);
  std::vector<double> x(problem.data.y().size());
  const double tolerance = 1e-4 * problem.data.y_norm();
  ASSERT_TRUE(system.solve(problem.data.y(), true, tolerance, Ending::kMeasured, x));
  const DenseProblem dense(problem);
  const Eigen::VectorXd want = dense.solve(u, dense.y());
  EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(x.data(), want.size()) - want).norm(), 1e-2 * want.norm());
}

// Beyond the range of single precision.
TEST_F(HardSystem, ValuesOfAnySize) {
  const ProblemCase<double> problem(shape_, 320);
  const std::vector<Matrix<double>> u = problem.random_point(rng_);
  for (const double scale : {1e-60, 1e60}) {
    const ProblemCase<double> scaled(shape_, 320, scale);
    InnerSystem<double> system(scaled.data, kShift, kMany, {});
    system.set_point(u);
    std::vector<double> x(scaled.data.y().size());
    EXPECT_TRUE(system.solve(scaled.data.y(), true, 1e-9 * scaled.data.y_norm(), Ending::kMeasured, x));
    const Eigen::VectorXd want = DenseProblem(scaled).solve(u, DenseProblem(scaled).y());
    EXPECT_LT((Eigen::Map<const Eigen::VectorXd>(x.data(), want.size()) - want).norm(), 1e-7 * want.norm());
  }
}

TEST_F(HardSystem, StopsWhenAskedOrOutOfSteps) {
  const ProblemCase<double> problem(shape_, 320);
  const std::vector<Matrix<double>> u = problem.random_point(rng_);
  std::vector<double> x(problem.data.y().size());
  InnerSystem<double> asked(problem.data, kShift, kMany, [] { return true; });
  asked.set_point(u);
  EXPECT_FALSE(asked.solve(problem.data.y(), true, 1e-9, Ending::kMeasured, x));
  EXPECT_LE(asked.applications(), 1);
  InnerSystem<double> few(problem.data, kShift, 2, {});
  few.set_point(u);
  EXPECT_FALSE(few.solve(problem.data.y(), true, 1e-9, Ending::kMeasured, x));
  EXPECT_LE(few.applications(), 4);
}

}  // namespace
}  // namespace lacuna
