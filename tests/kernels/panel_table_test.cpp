// SPDX-License-Identifier: MIT
#include "kernels/panel_table.hpp"

#include <gtest/gtest.h>

#include "kernels/fiber_kernels.hpp"
#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

constexpr double kRounding = 1e-13;  // sums of at most two dozen products of order one

class EverySet : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() >= kernels::kernel_sets()) GTEST_SKIP() << "this machine has no such set";
    kernels::use_kernels(GetParam());
  }
  void TearDown() override { kernels::use_kernels(kernels::kernel_sets() - 1); }
};

TEST_P(EverySet, MultipliesByTheTransposedTable) {
  Rng rng(5);
  for (const Eigen::Index rows : {1, 11, 12, 13, 40})
    for (const Eigen::Index depth : {0, 1, 7, 20})
      for (const Count queries : {1, 3, 4, 9}) {
        const Matrix<double> b = test::random_matrix<double>(rows, depth, rng);
        const PanelTable table(b);
        Matrix<double> a = Matrix<double>::Zero(PanelTable::padded_queries(queries), depth);
        a.topRows(queries) = test::random_matrix<double>(queries, depth, rng);
        std::vector<double> out(static_cast<std::size_t>(a.rows() * table.padded_rows()), -1.0);
        table.multiply(a.data(), queries, out.data());
        const Matrix<double> naive = a * b.transpose();
        for (Count i = 0; i < queries; ++i)
          for (Eigen::Index j = 0; j < rows; ++j)
            EXPECT_NEAR(out[static_cast<std::size_t>(i * table.padded_rows() + j)], naive(i, j), kRounding);
      }
}

INSTANTIATE_TEST_SUITE_P(Kernels, EverySet, testing::Values(0, 1));

}  // namespace
}  // namespace lacuna
