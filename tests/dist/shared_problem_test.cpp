// SPDX-License-Identifier: MIT
// Problems D and P, their derivatives and the certificate are the same however many processes share the entries.
#include <gtest/gtest.h>

#include "kernels/layouts.hpp"
#include "kernels/part_operator.hpp"
#include "kernels/share_plan.hpp"
#include "problem/certificate.hpp"
#include "problem/dual_problem.hpp"
#include "problem/initial_point.hpp"
#include "problem/primal_problem.hpp"
#include "support/problem_case.hpp"
#include "support/random_tensor.hpp"
#include "support/thread_group.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::ProblemCase;
using test::ProblemShape;
using test::ThreadGroup;

constexpr double kRounding = 1e-9;  // of sums in another order, through solves to 1e-13
const int kProcesses[] = {2, 3, 7, 64};

template <class A, class B>
void expect_near(const A& found, const B& expected, const char* what) {
  ASSERT_EQ(found.rows(), expected.rows());
  EXPECT_LE((found - expected).norm(), kRounding * (1.0 + expected.norm())) << what;
}

class SharedProblem : public testing::TestWithParam<ProblemShape> {};
INSTANTIATE_TEST_SUITE_P(Shapes, SharedProblem, testing::ValuesIn(test::problem_shapes()), test::shape_name);

TEST_P(SharedProblem, EveryEntryHasOneOwnerAndPartsHaveWholeFibers) {
  const test::WithThreads one(1);
  const ProblemCase<double> whole(GetParam(), 5);
  for (const int processes : kProcesses)
    ThreadGroup(processes).run([&](const Communicator& everyone) {
      const ObservedTensor share = take_share_of_whole(whole.tensor, GetParam().parts, everyone);
      EXPECT_EQ(everyone.sum(share.size()), whole.tensor.size());
      const PartSet parts(share, GetParam().parts, everyone);
      for (std::size_t p = 0; p < parts.size(); ++p) {
        EXPECT_EQ(everyone.sum(parts.layouts()[parts.layout_of(p)].tensor->size()), whole.tensor.size());
        if (parts[p].near() == nullptr) {
          EXPECT_EQ(everyone.sum(parts[p].view().fibers()), whole.data.parts()[p].view().fibers());
        } else {
          EXPECT_EQ(everyone.sum(parts[p].near()->groups()), whole.data.parts()[p].near()->groups());
        }
      }
    });
}

TEST_P(SharedProblem, DualAndItsDerivatives) {
  const test::WithThreads one(1);
  ProblemCase<double> whole(GetParam(), 5);
  Rng rng(3);
  const auto u = whole.random_point(rng);
  const auto direction = whole.random_point(rng);
  DualProblem<double> alone(whole.data, test::kExactSolves);
  DualProblem<double>::State state;
  alone.evaluate(u, nullptr, state);
  auto gradient = u;
  auto hessian = u;
  alone.gradient(u, state, gradient);
  alone.hessian(u, state, direction, hessian);
  const Certificate certificate = certify<double>(whole.data, u, state.z, state.misfit);
  Rng start_rng(9);
  const auto start = spectral_start(whole.data, whole.ranks, start_rng);

  for (const int processes : kProcesses)
    ThreadGroup(processes).run([&](const Communicator& everyone) {
      const ObservedTensor share = take_share_of_whole(whole.tensor, GetParam().parts, everyone);
      const ProblemData<double> data(share, GetParam().parts, whole.data.lambda(), everyone);
      DualProblem<double> problem(data, test::kExactSolves);
      DualProblem<double>::State here;
      problem.evaluate(u, nullptr, here);
      EXPECT_NEAR(here.cost, state.cost, kRounding * state.cost);
      EXPECT_NEAR(here.misfit, state.misfit, kRounding * state.misfit);
      auto found = u;
      problem.gradient(u, here, found);
      for (std::size_t p = 0; p < u.size(); ++p) expect_near(found[p], gradient[p], "gradient");
      problem.hessian(u, here, direction, found);
      for (std::size_t p = 0; p < u.size(); ++p) expect_near(found[p], hessian[p], "hessian");
      const Certificate bounds = certify<double>(data, u, here.z, here.misfit);
      EXPECT_NEAR(bounds.upper, certificate.upper, kRounding * certificate.upper);
      EXPECT_NEAR(bounds.lower, certificate.lower, 1e-7 * certificate.upper);  // of the singular values
      Rng same(9);
      const auto begun = spectral_start(data, whole.ranks, same);
      for (std::size_t p = 0; p < u.size(); ++p)
        EXPECT_NEAR((begun[p].transpose() * start[p]).norm(), (start[p].transpose() * start[p]).norm(), 1e-6);
    });
}

TEST_P(SharedProblem, PrimalAndItsDerivatives) {
  const test::WithThreads one(1);
  ProblemCase<double> whole(GetParam(), 6);
  Rng rng(4);
  const auto x = whole.random_point(rng, true);
  const auto direction = whole.random_point(rng, true);
  PrimalProblem<double> alone(whole.data);
  PrimalProblem<double>::State state;
  alone.evaluate(x, nullptr, state);
  auto gradient = x;
  auto hessian = x;
  alone.gradient(x, state, gradient);
  alone.hessian(x, state, direction, hessian);

  for (const int processes : kProcesses)
    ThreadGroup(processes).run([&](const Communicator& everyone) {
      const auto share_of = [&](const Matrix<double>& over_entries) {
        ObservedTensor tensor = whole.tensor;
        tensor.replace_values({over_entries.data(), over_entries.data() + over_entries.size()});
        const ObservedTensor share = take_share_of_whole(tensor, GetParam().parts, everyone);
        return Matrix<double>(Eigen::Map<const Matrix<double>>(share.values().data(), share.size(), 1));
      };
      const ObservedTensor share = take_share_of_whole(whole.tensor, GetParam().parts, everyone);
      const ProblemData<double> data(share, GetParam().parts, whole.data.lambda(), everyone);
      PrimalProblem<double> problem(data);
      auto here = x;
      here.back() = share_of(x.back());
      auto along = direction;
      along.back() = share_of(direction.back());
      PrimalProblem<double>::State at;
      problem.evaluate(here, nullptr, at);
      EXPECT_NEAR(at.cost, state.cost, kRounding * state.cost);
      auto found = here;
      problem.gradient(here, at, found);
      for (std::size_t p = 0; p + 1 < x.size(); ++p) expect_near(found[p], gradient[p], "gradient");
      expect_near(found.back(), share_of(gradient.back()), "gradient of Z");
      problem.hessian(here, at, along, found);
      for (std::size_t p = 0; p + 1 < x.size(); ++p) expect_near(found[p], hessian[p], "hessian");
      expect_near(found.back(), share_of(hessian.back()), "hessian of Z");
    });
}

// A part with one fiber, of a mode that is long enough for Lanczos: there is one direction to be found.
TEST(SharedCertificate, OfAPartWithoutAgreeingModes) {
  const test::WithThreads one(1);
  const ProblemShape shape{.name = "one fiber",
                           .extents = {120, 7, 5},
                           .entries = 900,
                           .parts = {{.mode = 0, .agree = {}}, {.mode = 1, .agree = {0}}},
                           .ranks = {1, 2}};
  ProblemCase<double> whole(shape, 5);
  Rng rng(3);
  const auto u = whole.random_point(rng);
  DualProblem<double> alone(whole.data, test::kExactSolves);
  DualProblem<double>::State state;
  alone.evaluate(u, nullptr, state);
  const Certificate certificate = certify<double>(whole.data, u, state.z, state.misfit);
  for (const int processes : {2, 7})
    ThreadGroup(processes).run([&](const Communicator& everyone) {
      const ObservedTensor share = take_share_of_whole(whole.tensor, shape.parts, everyone);
      const ProblemData<double> data(share, shape.parts, whole.data.lambda(), everyone);
      DualProblem<double> problem(data, test::kExactSolves);
      DualProblem<double>::State here;
      problem.evaluate(u, nullptr, here);
      const Certificate bounds = certify<double>(data, u, here.z, here.misfit);
      EXPECT_NEAR(bounds.upper, certificate.upper, kRounding * certificate.upper);
      EXPECT_NEAR(bounds.lower, certificate.lower, 1e-7 * certificate.upper);
    });
}

// Parts that relate all entries of a position, or all there are, beside parts that are at home where entries are cut.
TEST(SharedOperator, SendsWhatIsFewerOfSumsOverFibersAndEntries) {
  const test::WithThreads one(1);
  Rng rng(7);
  const ObservedTensor tensor = test::random_tensor({40, 6, 5}, 700, rng);
  const std::vector<PartSpec> parts = {{.mode = 1, .agree = {0}},
                                       {.mode = 2, .agree = {0}},
                                       {.mode = 0, .agree = {1}},
                                       {.mode = 0, .agree = {}, .row_power = 0.5},
                                       {.mode = PartSpec::kNothing, .agree = {2}}};
  const std::vector<double> lambda = {0.7, 0.5, 0.3, 0.2, 0.9};
  const std::vector<PartSpec> at_home(parts.begin(), parts.begin() + 2);
  for (const int wide : {2, 200}) {
    std::vector<Matrix<double>> u;
    std::vector<int> columns;
    for (const PartSpec& part : parts) {
      columns.push_back(part.learns() ? wide : 1);
      Matrix<double>& factor =
          u.emplace_back(part.learns() ? tensor.extent(part.mode) : Index{1}, columns.back());
      for (double& value : factor.reshaped()) value = rng.normal();
    }
    const PartSet whole(tensor, parts, serial_communicator());
    PartOperator<double> alone(whole);
    alone.set_point(u, lambda, 0.5);
    std::vector<double> expected(tensor.values().size());
    alone.apply(tensor.values(), expected);
    const std::vector<double> diagonal(alone.inverse_diagonal().begin(), alone.inverse_diagonal().end());
    for (const int processes : kProcesses)
      ThreadGroup(processes).run([&](const Communicator& everyone) {
        const auto share_of = [&](const std::vector<double>& values) {
          ObservedTensor with = tensor;
          with.replace_values(values);
          return take_share_of_whole(with, at_home, everyone);
        };
        const ObservedTensor share = take_share_of_whole(tensor, at_home, everyone);
        const PartSet set(share, parts, everyone);
        PartOperator<double> shared(set);
        shared.set_point(u, lambda, 0.5);
        std::vector<double> y(share.values().size());
        const std::int64_t before = everyone.exchanges().bytes;
        shared.apply(share.values(), y);
        const Count sent = everyone.sum(everyone.exchanges().bytes - before) / Count{sizeof(double)};
        EXPECT_EQ(sent, set.numbers_per_application(columns));
        if (processes < 4) {  // with more, the shares of so few entries are what they happen to be
          EXPECT_GT(set.layout_of(2), 0U);
          EXPECT_EQ(set.by_sums(set.layout_of(2), columns), wide == 2);
        }
        const ObservedTensor right = share_of(expected);
        const ObservedTensor right_diagonal = share_of(diagonal);
        for (std::size_t e = 0; e < y.size(); ++e) {
          EXPECT_NEAR(y[e], right.values()[e], kRounding * (1.0 + std::abs(right.values()[e])));
          EXPECT_NEAR(shared.inverse_diagonal()[e], right_diagonal.values()[e],
                      1e-5 * right_diagonal.values()[e]);
        }
      });
  }
}

}  // namespace
}  // namespace lacuna
