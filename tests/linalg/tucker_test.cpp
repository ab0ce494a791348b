// SPDX-License-Identifier: MIT
#include "linalg/tucker.hpp"

#include <gtest/gtest.h>

#include "support/tucker_tensor.hpp"

namespace lacuna {
namespace {

constexpr double kRounding = 1e-12;

TEST(Tucker, ModeProductsAreThoseOfTheFactors) {
  Rng rng(51);
  const Tucker x = test::random_tucker({5, 4, 3}, {2, 3, 2}, rng);
  for (int k = 0; k < 3; ++k) {  // (G x_k A) x_k I = G x_k A
    const Matrix<double> by = test::random_matrix<double>(4, x.rank(k), rng);
    Tucker left = x;
    left.factors[k] = x.factors[k].leftCols(1) * Eigen::RowVectorXd::Ones(4);
    Tucker right = left;
    right.factors[k] = left.factors[k] * by;
    left.core = mode_product(x.core, x.ranks(), k, by);
    right.core = x.core;
    EXPECT_LT((test::whole(left) - test::whole(right)).norm(), kRounding * test::whole(left).norm());
  }
}

TEST(Tucker, UnfoldingProductsAreInnerProductsOfSlices) {
  Rng rng(52);
  const std::vector<int> ranks = {2, 3, 4};
  Eigen::VectorXd a(24), b(24);
  for (int i = 0; i < 24; ++i) {
    a(i) = rng.normal();
    b(i) = rng.normal();
  }
  const auto at = [](const Eigen::VectorXd& core, int i, int j, int k) { return core(i + 2 * (j + 3 * k)); };
  const Eigen::MatrixXd product = unfolding_product(a, ranks, b, ranks, 1);
  for (int p = 0; p < 3; ++p)
    for (int q = 0; q < 3; ++q) {
      double sum = 0.0;
      for (int i = 0; i < 2; ++i)
        for (int k = 0; k < 4; ++k) sum += at(a, i, p, k) * at(b, i, q, k);
      EXPECT_NEAR(product(p, q), sum, kRounding);
    }
}

TEST(Tucker, OrthonormalizingAndFullHosvdKeepTheTensor) {
  Rng rng(53);
  for (const std::vector<Index>& extents : {std::vector<Index>{6, 5}, {6, 5, 4}, {5, 4, 3, 3}, {2, 5, 4}}) {
    const std::vector<int> ranks(extents.size(), 3);
    const Tucker x = test::random_tucker(extents, ranks, rng);
    const Eigen::VectorXd values = test::whole(x);
    for (const Tucker& same : {orthonormalized(x), truncated_hosvd(x, orthonormalized(x).ranks())}) {
      EXPECT_LT((test::whole(same) - values).norm(), kRounding * values.norm());
      for (const Matrix<double>& factor : same.factors)
        EXPECT_LT(
            (factor.transpose() * factor - Eigen::MatrixXd::Identity(factor.cols(), factor.cols())).norm(),
            kRounding);
    }
  }
}

TEST(Tucker, ReorderingMovesIndicesOnly) {
  Rng rng(55);
  const Tucker x = test::random_tucker({5, 4, 3, 2}, {2, 3, 1, 2}, rng);
  const std::vector<int> modes = {2, 0, 3, 1};
  const Tucker y = reordered(x, modes);
  const Cells cells = test::random_cells({5, 4, 3, 2}, 40, rng);
  for (std::size_t i = 0; i < cells[0].size(); ++i) {
    std::vector<Index> cell;
    std::vector<Index> moved;
    for (std::size_t k = 0; k < modes.size(); ++k) {
      cell.push_back(cells[k][i]);
      moved.push_back(cells[modes[k]][i]);
    }
    EXPECT_NEAR(test::naive_value(y, moved), test::naive_value(x, cell), kRounding);
  }
  const Tucker back = reordered(y, std::vector<int>{1, 3, 0, 2});
  EXPECT_EQ(back.core, x.core);
  for (int k = 0; k < x.order(); ++k) EXPECT_EQ(back.factors[k], x.factors[k]);
}

TEST(Tucker, TruncationKeepsWhatHasTheRankAlready) {
  Rng rng(54);
  const Tucker low = test::random_tucker({6, 5, 4}, {2, 2, 2}, rng);
  Tucker high = low;  // the same tensor with factors that repeat themselves
  high.core = mode_product(low.core, low.ranks(), 0, test::random_matrix<double>(4, 2, rng));
  const Matrix<double> wide = test::random_matrix<double>(6, 4, rng);
  high.factors[0] = wide;
  const Tucker back = truncated_hosvd(high, {2, 2, 2});
  EXPECT_LT((test::whole(back) - test::whole(high)).norm(), 1e-7 * test::whole(high).norm());
}

}  // namespace
}  // namespace lacuna
