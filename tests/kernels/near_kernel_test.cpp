// SPDX-License-Identifier: MIT
// The products of parts with near modes against their naive twins, in both precisions, and their bits at
// several thread counts.
#include "kernels/near_kernel.hpp"

#include <gtest/gtest.h>

#include "kernels/data_operator.hpp"
#include "support/kernel_check.hpp"
#include "support/naive.hpp"
#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::in_double;
using test::random_matrix;
using test::random_vector;

std::vector<PartSpec> near_parts() {
  return {{.mode = 0, .agree = {1}, .near = {{2, 1.5}}},
          {.mode = 2, .agree = {}, .near = {{0, 2.0}, {1, 3.0}}},
          {.mode = 1, .agree = {0}, .row_power = 0.5, .near = {{2, 4.0}}, .smoothness = 1.5},
          {.mode = PartSpec::kNothing, .agree = {2}, .near = {{0, 3.0}, {1, 2.0}}, .smoothness = 2.0},
          {.mode = 1, .agree = {}, .near = {{0, 1.0}}}};
}

template <class Real>
class NearKernelTest : public testing::Test {
 protected:
  // Sums of a few hundred terms and transforms of length 10.
  static constexpr double kRounding = sizeof(Real) == 4 ? 1e-4 : 1e-12;
};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(NearKernelTest, Reals, );

TYPED_TEST(NearKernelTest, EqualsItsNaiveTwin) {
  using Real = TypeParam;
  Rng rng(710);
  const ObservedTensor tensor = test::random_tensor({7, 9, 8}, 150, rng, 1.5);
  for (const PartSpec& part : near_parts())
    for (const int rank : {1, 3, 5}) {
      const PartKernels kernels(tensor, part);
      const test::NaivePart naive(tensor, part);
      const auto u = random_matrix<Real>(kernels.rows(), rank, rng);
      const auto v = random_matrix<Real>(kernels.rows(), rank, rng);
      const auto x = random_vector<Real>(tensor.size(), rng);
      const auto w = random_vector<Real>(tensor.size(), rng);

      Eigen::VectorXd want = Eigen::VectorXd::Zero(tensor.size());
      naive.add_directional(in_double(u), in_double(v), -1.7, in_double(x), want);
      std::vector<Real> got(x.size(), Real{0});
      kernels.add_directional(kernels.table(u), kernels.table(v), -1.7, std::span<const Real>(x),
                              std::span<Real>(got));
      EXPECT_LT((in_double(got) - want).norm(), this->kRounding * want.norm());

      Matrix<double> sums = Matrix<double>::Zero(u.rows(), rank);
      naive.add_gram(in_double(u), 0.7, in_double(x), sums);
      naive.add_cross(in_double(v), -0.3, in_double(x), in_double(w), sums);
      Matrix<Real> rows = Matrix<Real>::Zero(u.rows(), rank);
      kernels.add_gram(kernels.table(u), 0.7, std::span<const Real>(x), rows);
      kernels.add_cross(kernels.table(v), -0.3, std::span<const Real>(x), std::span<const Real>(w), rows);
      EXPECT_LT((in_double(rows) - sums).norm(), this->kRounding * sums.norm());
    }
}

TYPED_TEST(NearKernelTest, TheOperatorIsTheSumOfItsParts) {
  using Real = TypeParam;
  Rng rng(711);
  const ObservedTensor tensor = test::random_tensor({7, 9, 8}, 150, rng, 1.5);
  std::vector<PartSpec> specs = near_parts();
  specs.push_back(full_parts(3)[0]);
  std::vector<PartKernels> parts;
  std::vector<Matrix<Real>> u;
  std::vector<double> lambda;
  const auto z = random_vector<Real>(tensor.size(), rng);
  Eigen::VectorXd want = 0.5 * in_double(z);
  Eigen::VectorXd diagonal = Eigen::VectorXd::Constant(tensor.size(), 0.5);
  for (const PartSpec& spec : specs) {
    parts.emplace_back(tensor, spec);
    u.push_back(random_matrix<Real>(parts.back().rows(), 2, rng));
    lambda.push_back(0.5 + rng.uniform());
    const test::NaivePart naive(tensor, spec);
    naive.add_product(in_double(u.back()), lambda.back(), in_double(z), want);
    naive.add_diagonal(in_double(u.back()), lambda.back(), diagonal);
  }
  DataOperator<Real> op(parts, tensor.size());
  op.set_point(u, lambda, 0.5);
  std::vector<Real> got(z.size());
  op.apply(z, got);
  EXPECT_LT((in_double(got) - want).norm(), this->kRounding * want.norm());
  for (Count e = 0; e < tensor.size(); ++e)
    EXPECT_NEAR(static_cast<double>(op.inverse_diagonal()[e]) * diagonal(e), 1.0, 1e-5);
}

TYPED_TEST(NearKernelTest, HasTheSameBitsAtAnyThreadCount) {
  using Real = TypeParam;
  Rng rng(712);
  const ObservedTensor tensor = test::random_tensor({150, 120, 6}, 20000, rng);
  for (const PartSpec& part : {PartSpec{.mode = 2, .agree = {}, .near = {{0, 9.0}, {1, 7.0}}},
                               PartSpec{.mode = 2, .agree = {0}, .near = {{1, 7.0}}},
                               PartSpec{.mode = 0, .agree = {2}, .near = {{1, 7.0}}, .smoothness = 2.0}}) {
    const auto z = random_vector<Real>(tensor.size(), rng);
    Matrix<Real> u;
    std::vector<Real> first;
    for (const int threads : {1, 2, 3}) {
      const test::WithThreads with(threads);
      const PartKernels kernels(tensor, part);
      if (u.size() == 0) u = random_matrix<Real>(kernels.rows(), 3, rng);
      Matrix<Real> g = Matrix<Real>::Zero(u.rows(), 3);
      kernels.add_gram(kernels.table(u), 1.0, std::span<const Real>(z), g);
      std::vector<Real> y(z.size(), Real{0});
      kernels.add_directional(kernels.table(u), kernels.table(u), 1.0, std::span<const Real>(z),
                              std::span<Real>(y));
      y.insert(y.end(), g.data(), g.data() + g.size());
      if (first.empty()) first = y;
      EXPECT_TRUE(test::same_bits<Real>(y, first)) << threads;
    }
  }
}

}  // namespace
}  // namespace lacuna
