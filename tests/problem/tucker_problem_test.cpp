// SPDX-License-Identifier: MIT
#include "problem/tucker_problem.hpp"

#include <gtest/gtest.h>

#include "manifold/embedded_tucker.hpp"
#include "manifold/quotient_tucker.hpp"
#include "solver/solver.hpp"
#include "support/taylor.hpp"
#include "support/tucker_tensor.hpp"

namespace lacuna {
namespace {

static_assert(FirstOrderObjective<TuckerProblem, EmbeddedTucker>);
static_assert(FirstOrderObjective<TuckerProblem, QuotientTucker>);
static_assert(FirstOrderObjective<TuckerProblem, TuckerSpace>);

double cost_of(const TuckerProblem& problem, const Tucker& x) {
  TuckerProblem::State state;
  problem.evaluate(x, nullptr, state);
  return problem.cost(state);
}

TEST(TuckerProblem, CostIsHalfTheWeightedSumOfSquares) {
  Rng rng(81);
  const ObservedTensor plain = test::random_tensor({6, 5, 4}, 40, rng);
  const Tucker x = test::random_tucker({6, 5, 4}, {2, 3, 2}, rng);
  for (const ObservedTensor& tensor : {plain, test::with_random_weights(plain, rng)}) {
    double sum = 0.0;
    for (Count e = 0; e < tensor.size(); ++e) {
      const double error =
          test::naive_value(x, {tensor.index(0)[e], tensor.index(1)[e], tensor.index(2)[e]}) -
          tensor.values()[e];
      sum += tensor.weight(e) * error * error;
    }
    EXPECT_NEAR(cost_of(TuckerProblem(tensor), x), 0.5 * sum, 1e-10);
  }
}

// f(R_x(t u)) = f(x) + t <grad f, u> + O(t^2)
template <class M>
void check_slope(const M& manifold, const TuckerProblem& problem, Rng& rng) {
  Tucker x, u;
  manifold.random_point(rng, x);
  manifold.random_point(rng, u);
  typename M::Frame frame;
  manifold.frame(x, frame);
  manifold.project(x, frame, u);
  TuckerProblem::State state;
  problem.evaluate(x, nullptr, state);
  Tucker gradient;
  manifold.zero(x, gradient);
  problem.gradient(x, state, gradient);
  to_gradient(manifold, x, frame, gradient);
  const double slope = inner_at(manifold, x, frame, gradient, u);
  const auto error = [&](double t) {
    Tucker step = u;
    manifold.scale(t, step);
    Tucker y;
    manifold.retract(x, step, y);
    return std::abs(cost_of(problem, y) - problem.cost(state) - t * slope);
  };
  EXPECT_NEAR(test::taylor_slope(error, {.largest = 1e-3, .steps = 5}), 2.0, 0.1);
}

TEST(TuckerProblem, GradientsHaveSlopeTwo) {
  Rng rng(82);
  const ObservedTensor tensor = test::with_random_weights(test::random_tensor({7, 6, 5}, 80, rng), rng);
  const TuckerProblem problem(tensor);
  check_slope(EmbeddedTucker({7, 6, 5}, {2, 3, 2}, 3.0), problem, rng);
  check_slope(QuotientTucker({7, 6, 5}, {2, 3, 2}, 3.0), problem, rng);
  check_slope(TuckerSpace({7, 6, 5}, {2, 3, 2}, 3.0), problem, rng);
}

// Along a core X is linear, so the step is the minimiser itself.
TEST(TuckerProblem, TheStepLengthMinimisesTheLinearisedCost) {
  Rng rng(83);
  const ObservedTensor tensor = test::with_random_weights(test::random_tensor({6, 5, 4}, 50, rng), rng);
  const TuckerProblem problem(tensor);
  const Tucker x = test::random_tucker({6, 5, 4}, {2, 2, 2}, rng);
  Tucker along = test::random_tucker({6, 5, 4}, {2, 2, 2}, rng);
  for (Matrix<double>& factor : along.factors) factor.setZero();
  TuckerProblem::State state;
  problem.evaluate(x, nullptr, state);
  const double best = problem.step_length(x, state, along);
  const auto at = [&](double t) {
    Tucker y = x;
    y.core += t * along.core;
    return cost_of(problem, y);
  };
  EXPECT_LT(at(best), at(best * 1.01));
  EXPECT_LT(at(best), at(best * 0.99));
}

}  // namespace
}  // namespace lacuna
