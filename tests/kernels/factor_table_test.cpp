// SPDX-License-Identifier: MIT
// Padded factors: the content is the matrix, the padding is zero.
#include "kernels/factor_table.hpp"

#include <gtest/gtest.h>

#include <cstdint>

#include "support/kernel_check.hpp"

namespace lacuna {
namespace {

template <class Real>
class FactorTableTest : public testing::Test {};
using Reals = testing::Types<double, float>;
TYPED_TEST_SUITE(FactorTableTest, Reals, );

template <class Real>
void expect_content(const FactorTable<Real>& table, const Matrix<Real>& matrix) {
  ASSERT_EQ(table.rows(), matrix.rows());
  ASSERT_EQ(table.columns(), matrix.cols());
  EXPECT_EQ(table.size(), table.rows() * table.stride());
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(table.data()) % 64, 0U);
  for (Count i = 0; i < table.rows(); ++i)
    for (Count j = 0; j < table.stride(); ++j)
      ASSERT_EQ(table.row(i)[j], j < matrix.cols() ? matrix(i, j) : Real{0}) << i << ", " << j;
}

TYPED_TEST(FactorTableTest, HoldsTheMatrixAndZerosUpToWholeVectors) {
  Rng rng(60);
  for (const int rank : test::tested_ranks()) {
    const Matrix<TypeParam> matrix = test::random_matrix<TypeParam>(13, rank, rng);
    const FactorTable<TypeParam> table(matrix);
    expect_content(table, matrix);
    const Count stride = table.stride();
    Count lanes = kernels::kLanes<TypeParam>;
    if (rank <= lanes / 2) lanes /= 2;
    if (rank == 1) lanes = 1;
    EXPECT_EQ(stride % lanes, 0);
    EXPECT_LT(stride - rank, lanes);
  }
}

TYPED_TEST(FactorTableTest, ForgetsWhatItHeldBefore) {
  Rng rng(61);
  FactorTable<TypeParam> table(test::random_matrix<TypeParam>(30, 31, rng));
  for (const int rank : {7, 1, 2, 60}) {
    const Matrix<TypeParam> matrix = test::random_matrix<TypeParam>(11, rank, rng);
    table.assign(matrix);
    expect_content(table, matrix);
  }
  table.resize_zero(5, 9);
  expect_content<TypeParam>(table, Matrix<TypeParam>::Zero(5, 9));
}

TYPED_TEST(FactorTableTest, AddsItsContentToAMatrix) {
  Rng rng(62);
  const Matrix<TypeParam> a = test::random_matrix<TypeParam>(30, 7, rng);
  const Matrix<TypeParam> b = test::random_matrix<TypeParam>(30, 7, rng);
  Matrix<TypeParam> sum = a;
  FactorTable<TypeParam>(b).add_to(sum);
  EXPECT_EQ(sum, (a + b).eval());
}

TYPED_TEST(FactorTableTest, RowProductIsTheInnerProductOfRows) {
  const Matrix<TypeParam> a{{1, 2, 3}, {4, 5, 6}};  // small whole numbers: exact in either precision
  const Matrix<TypeParam> b{{1, 0, 2}, {3, 1, -1}};
  const FactorTable<TypeParam> table_a(a);
  const FactorTable<TypeParam> table_b(b);
  EXPECT_EQ(row_product(table_a, table_b, 0), TypeParam{7});
  EXPECT_EQ(row_product(table_a, table_b, 1), TypeParam{11});
}

}  // namespace
}  // namespace lacuna
