// SPDX-License-Identifier: MIT
// Parts with side information: their products against naive twins, and their bits at several thread counts.
#include "kernels/row_basis.hpp"

#include <gtest/gtest.h>

#include "kernels/data_operator.hpp"
#include "support/kernel_check.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::in_double;
using test::random_matrix;
using test::random_vector;

std::vector<PartSpec> side_parts() {
  return {{.mode = 0, .agree = {1, 2}, .side = 0.5},
          {.mode = 0, .agree = {1}, .row_power = 0.5, .fiber_power = 0.3, .side = 0.8},
          {.mode = 1, .agree = {0, 2}, .side = 1.0},
          {.mode = 1, .agree = {}, .near = {{0, 2.0}}, .side = 0.2},
          {.mode = 0,
           .agree = {},
           .row_power = 1.0,
           .near = {{1, 2.0}, {2, 3.0}},
           .smoothness = 2.0,
           .side = 0.6}};
}

ObservedTensor with_side(const std::vector<Index>& extents, Count entries, Rng& rng) {
  const ObservedTensor plain = test::random_tensor(extents, entries, rng, 1.5);
  std::vector<Mode> modes = plain.modes();
  modes[0].side = test::random_side(extents[0], 5, rng);
  modes[1].side = test::random_side(extents[1], 7, rng);
  return *ObservedTensor::create(modes, test::entries_of(plain));
}

template <class Real>
class RowBasisTest : public testing::Test {
 protected:
  static constexpr double kRounding = sizeof(Real) == 4 ? 1e-4 : 1e-12;  // sums of a few hundred terms
};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(RowBasisTest, Reals, );

TYPED_TEST(RowBasisTest, PartsWithSideInformationEqualTheirNaiveTwins) {
  using Real = TypeParam;
  Rng rng(740);
  const ObservedTensor tensor = with_side({7, 9, 8}, 150, rng);
  for (const PartSpec& part : side_parts())
    for (const int rank : {1, 3, 5}) {
      SCOPED_TRACE(test::describe_part(part, rank));
      const PartKernels kernels(tensor, part);
      const test::NaivePart naive(tensor, part);
      const Count columns = tensor.modes()[part.mode].side->columns();
      EXPECT_EQ(kernels.factor_rows(), part.side == 1.0 ? columns : kernels.rows() + columns);
      const auto u = random_matrix<Real>(kernels.factor_rows(), rank, rng);
      const auto v = random_matrix<Real>(kernels.factor_rows(), rank, rng);
      const auto x = random_vector<Real>(tensor.size(), rng);
      const auto w = random_vector<Real>(tensor.size(), rng);

      Eigen::VectorXd want = Eigen::VectorXd::Zero(tensor.size());
      naive.add_directional(in_double(u), in_double(v), -1.7, in_double(x), want);
      std::vector<Real> got(x.size(), Real{0});
      kernels.add_directional(kernels.table(u), kernels.table(v), -1.7, std::span<const Real>(x),
                              std::span<Real>(got));
      EXPECT_LT((in_double(got) - want).norm(), this->kRounding * want.norm());

      Matrix<double> sums = Matrix<double>::Ones(u.rows(), rank);
      naive.add_gram(in_double(u), 0.7, in_double(x), sums);
      naive.add_cross(in_double(v), -0.3, in_double(x), in_double(w), sums);
      Matrix<Real> rows = Matrix<Real>::Ones(u.rows(), rank);
      kernels.add_gram(kernels.table(u), 0.7, std::span<const Real>(x), rows);
      kernels.add_cross(kernels.table(v), -0.3, std::span<const Real>(x), std::span<const Real>(w), rows);
      EXPECT_LT((in_double(rows) - sums).norm(), this->kRounding * sums.norm());
    }
}

TYPED_TEST(RowBasisTest, TheOperatorIsTheSumOfItsParts) {
  using Real = TypeParam;
  Rng rng(741);
  const ObservedTensor tensor = with_side({7, 9, 8}, 150, rng);
  std::vector<PartKernels> parts;
  std::vector<Matrix<Real>> u;
  std::vector<double> lambda;
  const std::vector<Real> z = random_vector<Real>(tensor.size(), rng);
  Eigen::VectorXd want = 0.5 * in_double(z);
  Eigen::VectorXd diagonal = Eigen::VectorXd::Constant(tensor.size(), 0.5);
  for (const PartSpec& part : side_parts()) {
    parts.emplace_back(tensor, part);
    u.push_back(random_matrix<Real>(parts.back().factor_rows(), 2, rng));
    lambda.push_back(0.3 + rng.uniform());
    test::NaivePart(tensor, part).add_product(in_double(u.back()), lambda.back(), in_double(z), want);
    test::NaivePart(tensor, part).add_diagonal(in_double(u.back()), lambda.back(), diagonal);
  }
  DataOperator<Real> whole(parts, tensor.size());
  whole.set_point(u, lambda, 0.5);
  std::vector<Real> got(z.size());
  whole.apply(z, got);
  EXPECT_LT((in_double(got) - want).norm(), this->kRounding * want.norm());
  for (Count e = 0; e < tensor.size(); ++e)
    EXPECT_NEAR(static_cast<double>(whole.inverse_diagonal()[e]) * diagonal(e), 1.0, 1e-4);
}

TYPED_TEST(RowBasisTest, SameBitsAtAnyThreadCount) {
  using Real = TypeParam;
  Rng rng(742);
  const ObservedTensor tensor = with_side({4000, 300, 20}, 60000, rng);
  const PartSpec part{.mode = 0, .agree = {1}, .side = 0.5};
  const auto u = random_matrix<Real>(4005, 3, rng);
  const auto z = random_vector<Real>(tensor.size(), rng);
  Matrix<Real> once;
  std::vector<Real> product_once;
  for (const int threads : {1, 2, 3}) {
    const test::WithThreads with(threads);
    const PartKernels kernels(tensor, part);
    Matrix<Real> g = Matrix<Real>::Zero(u.rows(), 3);
    kernels.add_gram(kernels.table(u), 1.0, std::span<const Real>(z), g);
    std::vector<Real> y(z.size(), Real{0});
    kernels.add_directional(kernels.table(u), kernels.table(u), 1.0, std::span<const Real>(z),
                            std::span<Real>(y));
    if (once.size() == 0) {
      once = g;
      product_once = y;
    }
    EXPECT_TRUE(g == once) << threads;
    EXPECT_EQ(y, product_once) << threads;
  }
}

TEST(RowBasis, APartOfAModeOfWhichNothingIsKnownIsRefused) {
  Rng rng(743);
  const ObservedTensor tensor = test::random_tensor({4, 5}, 9, rng);
  EXPECT_THROW(PartKernels(tensor, {.mode = 0, .agree = {1}, .side = 0.5}), std::invalid_argument);
  EXPECT_THROW(PartKernels(tensor, {.mode = 0, .agree = {1}, .side = 1.5}), std::invalid_argument);
  EXPECT_THROW(PartKernels(tensor, {.mode = PartSpec::kNothing, .agree = {1}, .side = 0.5}),
               std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
