// SPDX-License-Identifier: MIT
// The operator B(u) against its naive twin: all fiber lengths, ranks, precisions and kernel sets.
#include "kernels/data_operator.hpp"

#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "dist/communicator.hpp"
#include "support/kernel_check.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::as_span;
using test::expect_close;
using test::in_double;
using test::random_matrix;
using test::random_vector;
using test::rounding;

std::vector<PartKernels> make_kernels(const ObservedTensor& tensor, const std::vector<PartSpec>& parts) {
  std::vector<PartKernels> kernels;
  for (const PartSpec& part : parts) kernels.emplace_back(tensor, part);
  return kernels;
}

// A point and its weights, with the naive B(u) z.
template <class Real>
struct Problem {
  Problem(const ObservedTensor& tensor, const std::vector<PartSpec>& parts, const std::vector<int>& ranks,
          double with_shift, Rng& rng)
      : shift(with_shift), z(random_vector<Real>(tensor.size(), rng)) {
    diagonal = Eigen::VectorXd::Constant(tensor.size(), shift);
    for (Count e = 0; e < tensor.size(); ++e) diagonal(e) /= tensor.weight(e);
    want = diagonal.cwiseProduct(in_double(z));
    magnitude = want.cwiseAbs();
    for (std::size_t p = 0; p < parts.size(); ++p) {
      u.push_back(random_matrix<Real>(tensor.extent(parts[p].mode), ranks[p], rng));
      lambda.push_back(0.3 + rng.uniform());
      const test::NaivePart naive(tensor, parts[p]);
      naive.add_product(in_double(u[p]), lambda[p], in_double(z), want);
      naive.add_product(in_double(u[p]).cwiseAbs(), lambda[p], in_double(z).cwiseAbs(), magnitude);
      naive.add_diagonal(in_double(u[p]), lambda[p], diagonal);
      summands += static_cast<double>(naive.longest() + ranks[p]);
    }
  }

  double shift;
  std::vector<Real> z;
  std::vector<Matrix<Real>> u;
  std::vector<double> lambda;
  Eigen::VectorXd want;       // B(u) z
  Eigen::VectorXd magnitude;  // the same of absolute values
  Eigen::VectorXd diagonal;   // of B(u)
  double summands = 0.0;
};

template <class Real>
void check_operator(const ObservedTensor& tensor, const std::vector<PartSpec>& parts,
                    const std::vector<int>& ranks, double shift, Rng& rng) {
  const std::vector<PartKernels> kernels = make_kernels(tensor, parts);
  const Problem<Real> problem(tensor, parts, ranks, shift, rng);
  DataOperator<Real> op(kernels, tensor.size(), tensor.weights());
  DataOperator<Real> rare(kernels, tensor.size(), tensor.weights(), OperatorUse::kRarely);
  test::with_each_kernel_set([&] {
    for (DataOperator<Real>* each : {&op, &rare}) {
      each->set_point(problem.u, problem.lambda, problem.shift);
      std::vector<Real> got(problem.z.size(), Real{99});  // apply must overwrite, not add
      each->apply(problem.z, got);
      expect_close<Real>(got, as_span(problem.want), as_span(problem.magnitude),
                         rounding<Real>(problem.summands));
    }
    ASSERT_TRUE(rare.inverse_diagonal().empty());
    ASSERT_EQ(op.inverse_diagonal().size(), problem.z.size());
    for (Count e = 0; e < tensor.size(); ++e)  // single precision whatever Real is
      ASSERT_NEAR(static_cast<double>(op.inverse_diagonal()[e]) * problem.diagonal(e), 1.0,
                  rounding<float>(problem.summands));
  });
}

template <class Real>
class DataOperatorTest : public testing::Test {
 protected:
  test::WithThreads one_{
      1};  // more are not worth waking for small tensors; the tests of many pieces ask for them
};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(DataOperatorTest, Reals, );

TYPED_TEST(DataOperatorTest, EqualsItsNaiveTwinForEveryModeAndRank) {
  Rng rng(50);
  for (const std::vector<Index>& extents : std::vector<std::vector<Index>>{{9, 14, 11}, {5, 9, 4, 6}}) {
    const ObservedTensor tensor = test::random_tensor(extents, 260, rng, 1.5);
    for (const PartSpec& part : full_parts(tensor.order()))
      for (const int rank : test::tested_ranks()) {
        SCOPED_TRACE(test::describe_part(part, rank));
        check_operator<TypeParam>(tensor, {part}, {rank}, 0.5, rng);
        if (this->HasFatalFailure()) return;
      }
  }
}

TYPED_TEST(DataOperatorTest, EqualsItsNaiveTwinForMarginalParts) {
  Rng rng(51);
  const ObservedTensor tensor = test::random_tensor({9, 14, 11}, 150, rng, 1.5);
  for (const PartSpec& part : {PartSpec{.mode = 0, .agree = {1}}, PartSpec{.mode = 1, .agree = {0}},
                               PartSpec{.mode = 2, .agree = {1}}, PartSpec{.mode = 1, .agree = {}}})
    for (const int rank : test::tested_ranks()) {
      SCOPED_TRACE(test::describe_part(part, rank));
      check_operator<TypeParam>(tensor, {part}, {rank}, 0.5, rng);
      if (this->HasFatalFailure()) return;
    }
}

TYPED_TEST(DataOperatorTest, AddsUpPartsOfDifferentRanks) {
  Rng rng(52);
  const ObservedTensor three = test::random_tensor({9, 14, 11}, 260, rng, 1.5);
  std::vector<PartSpec> parts = full_parts(3);
  for (const double shift : {0.0, 0.5}) {
    check_operator<TypeParam>(three, parts, {4, 1, 7}, shift, rng);
    check_operator<TypeParam>(three, parts, {1, 31, 2}, shift, rng);
  }
  parts.push_back({.mode = 0, .agree = {1}});
  parts.push_back({.mode = 0, .agree = {}});
  check_operator<TypeParam>(three, parts, {4, 1, 7, 3, 2}, 0.5, rng);
  const ObservedTensor four = test::random_tensor({5, 9, 4, 6}, 260, rng, 1.5);
  check_operator<TypeParam>(four, full_parts(4), {3, 9, 4, 6}, 0.5, rng);
}

TYPED_TEST(DataOperatorTest, EqualsItsNaiveTwinInWeightedNorms) {
  Rng rng(58);
  const ObservedTensor tensor = test::random_tensor({9, 14, 11}, 260, rng, 1.5);
  const ObservedTensor weighted = test::with_random_weights(tensor, rng);
  for (const PartSpec& part : test::weighted_parts())
    for (const int rank : {1, 3, 8, 25}) {
      SCOPED_TRACE(test::describe_part(part, rank));
      check_operator<TypeParam>(tensor, {part}, {rank}, 0.5, rng);
      check_operator<TypeParam>(weighted, {part}, {rank}, 0.5, rng);
      if (this->HasFatalFailure()) return;
    }
  check_operator<TypeParam>(weighted, test::weighted_parts(), {4, 1, 7, 3, 2, 5}, 0.5, rng);
  check_operator<TypeParam>(weighted, full_parts(3), {4, 1, 7}, 0.5, rng);
}

TYPED_TEST(DataOperatorTest, EqualsItsNaiveTwinOverManyPieces) {
  const test::WithThreads scope(2);
  Rng rng(53);
  const ObservedTensor tensor = test::random_tensor({300, 250, 40}, 20000, rng, 1.2);
  std::vector<PartSpec> parts = full_parts(3);
  parts.push_back({.mode = 2, .agree = {0}});
  parts.push_back({.mode = 0, .agree = {1, 2}, .row_power = 0.5, .fiber_power = 0.5});
  check_operator<TypeParam>(tensor, parts, {3, 5, 1, 2, 4}, 0.5, rng);
}

TYPED_TEST(DataOperatorTest, IsSymmetricAndPositive) {
  Rng rng(54);
  const ObservedTensor tensor = test::random_tensor({9, 14, 11}, 260, rng, 1.5);
  std::vector<PartSpec> parts = full_parts(3);
  parts.push_back({.mode = 0, .agree = {1}});
  const std::vector<PartKernels> kernels = make_kernels(tensor, parts);
  const Problem<TypeParam> problem(tensor, parts, {4, 1, 7, 3}, 0.5, rng);
  DataOperator<TypeParam> op(kernels, tensor.size());
  op.set_point(problem.u, problem.lambda, problem.shift);
  const std::vector<TypeParam> a = random_vector<TypeParam>(tensor.size(), rng);
  const std::vector<TypeParam>& b = problem.z;
  std::vector<TypeParam> op_a(a.size());
  std::vector<TypeParam> op_b(a.size());
  op.apply(a, op_a);
  op.apply(b, op_b);
  const auto inner = [](const std::vector<TypeParam>& x, const std::vector<TypeParam>& y) {
    return dot<TypeParam>(serial_communicator(), x, y);
  };
  const double magnitude = problem.magnitude.dot(in_double(a).cwiseAbs());
  EXPECT_NEAR(inner(a, op_b), inner(op_a, b), rounding<TypeParam>(problem.summands) * magnitude);
  EXPECT_GT(inner(a, op_a), problem.shift * inner(a, a) * 0.999);  // B - shift I is positive semi-definite
}

TYPED_TEST(DataOperatorTest, HasTheSameBitsAtAnyThreadCount) {
  Rng rng(55);
  const ObservedTensor tensor = test::random_tensor({300, 250, 40}, 60000, rng, 1.7);
  std::vector<PartSpec> parts = full_parts(3);
  parts.push_back({.mode = 2, .agree = {0}});
  const std::vector<PartKernels> kernels = make_kernels(tensor, parts);
  const Problem<TypeParam> problem(tensor, parts, {5, 1, 26, 3}, 0.5, rng);
  std::vector<std::vector<TypeParam>> results;
  for (const int threads : {1, 2, 3, 5}) {
    const test::WithThreads scope(threads);
    DataOperator<TypeParam> op(kernels, tensor.size());
    op.set_point(problem.u, problem.lambda, problem.shift);
    op.apply(problem.z, results.emplace_back(problem.z.size()));
    EXPECT_TRUE(test::same_bits<TypeParam>(results.back(), results.front())) << threads << " threads";
  }
}

TYPED_TEST(DataOperatorTest, ForgetsItsLastPoint) {
  Rng rng(56);
  const ObservedTensor tensor = test::random_tensor({9, 14, 11}, 260, rng, 1.5);
  const std::vector<PartSpec> parts = full_parts(3);
  const std::vector<PartKernels> kernels = make_kernels(tensor, parts);
  const Problem<TypeParam> wide(tensor, parts, {9, 30, 12}, 0.5, rng);
  const Problem<TypeParam> narrow(tensor, parts, {3, 1, 6}, 0.25, rng);
  DataOperator<TypeParam> fresh(kernels, tensor.size());
  fresh.set_point(narrow.u, narrow.lambda, narrow.shift);
  DataOperator<TypeParam> used(kernels, tensor.size());
  used.set_point(wide.u, wide.lambda, wide.shift);
  used.set_point(narrow.u, narrow.lambda, narrow.shift);
  std::vector<TypeParam> from_fresh(narrow.z.size());
  std::vector<TypeParam> from_used(narrow.z.size());
  EXPECT_EQ(used.applications(), 0);
  fresh.apply(narrow.z, from_fresh);
  used.apply(narrow.z, from_used);
  EXPECT_TRUE(test::same_bits<TypeParam>(from_fresh, from_used));
  EXPECT_EQ(used.applications(), 1);
}

TEST(DataOperator, NeedsAFactorAndALambdaForEachPart) {
  Rng rng(57);
  const ObservedTensor tensor = test::random_tensor({9, 14, 11}, 50, rng);
  const std::vector<PartKernels> kernels = make_kernels(tensor, full_parts(3));
  DataOperator<double> op(kernels, tensor.size());
  std::vector<Matrix<double>> u = {random_matrix<double>(9, 2, rng), random_matrix<double>(14, 2, rng)};
  EXPECT_THROW(op.set_point(u, std::vector<double>{1, 1, 1}, 0.5), std::invalid_argument);
  u.push_back(random_matrix<double>(11, 2, rng));
  EXPECT_THROW(op.set_point(u, std::vector<double>{1, 1}, 0.5), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
