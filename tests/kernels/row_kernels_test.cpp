// SPDX-License-Identifier: MIT
#include "kernels/row_kernels.hpp"

#include <Eigen/Cholesky>

#include "support/kernel_check.hpp"

namespace lacuna {
namespace {

using kernels::row_kernels;
using kernels::RowEntries;
using kernels::RowKernels;

// A row with entries that point into a table of random numbers, some of them twice.
struct RowCase {
  RowCase(int size, int columns, bool weighted, std::uint64_t seed) : width(columns) {
    constexpr Index kRows = 40;
    Rng rng(seed);
    const auto normal = [&] { return static_cast<float>(rng.normal()); };
    for (Index i = 0; i < kRows * static_cast<Index>(width); ++i) {
      table.push_back(normal());
      variance.push_back(static_cast<float>(rng.uniform()));
    }
    for (int j = 0; j < size; ++j) {
      entry.push_back(static_cast<Index>((11 * j + 3) % size));
      other.push_back(static_cast<Index>(rng.below(kRows)));
      residual.push_back(normal());
      if (weighted) weight.push_back(static_cast<float>(0.25 + 2.0 * rng.uniform()));
    }
    for (int k = 0; k < width; ++k) own.push_back(normal());
  }
  [[nodiscard]] RowEntries row() const {
    return {.entry = entry.data(), .other = other.data(), .size = static_cast<Count>(entry.size())};
  }
  [[nodiscard]] const float* weights() const { return weight.empty() ? nullptr : weight.data(); }
  [[nodiscard]] double mass(std::size_t j) const {
    return weight.empty() ? 1.0 : static_cast<double>(weight[entry[j]]);
  }
  [[nodiscard]] Eigen::VectorXd at(const std::vector<float>& rows, std::size_t j) const {
    Eigen::VectorXd out(width);
    for (int k = 0; k < width; ++k) out(k) = static_cast<double>(rows[other[j] * width + k]);
    return out;
  }

  int width;
  std::vector<float> table;
  std::vector<float> variance;
  std::vector<Index> entry;
  std::vector<Index> other;
  std::vector<float> residual;
  std::vector<float> weight;
  std::vector<float> own;
};

template <class Body>
void for_each_case(Body&& body) {
  test::with_each_kernel_set([&] {
    for (const int width : {8, 16, 24, 40})
      for (const int size : {0, 1, 2, 63, 64, 65, 200})
        for (const bool weighted : {false, true}) {
          SCOPED_TRACE(testing::Message()
                       << "width " << width << ", " << size << " entries, weighted " << weighted);
          body(RowCase(size, width, weighted, 11));
        }
  });
}

constexpr double kFloatSums = 2e-4;  // up to 64 products of size 1 to 10 in float, then in double

TEST(RowKernels, GatherIsTheNaiveSum) {
  for_each_case([](const RowCase& tested) {
    const int width = tested.width;
    Eigen::MatrixXd gram = Eigen::MatrixXd::Zero(width, width);
    Eigen::VectorXd right = Eigen::VectorXd::Zero(width);
    Eigen::VectorXd spread = right;
    for (std::size_t j = 0; j < tested.entry.size(); ++j) {
      const Eigen::VectorXd t = tested.at(tested.table, j);
      gram += tested.mass(j) * t * t.transpose();
      right += tested.mass(j) * static_cast<double>(tested.residual[tested.entry[j]]) * t;
      spread += tested.mass(j) * tested.at(tested.variance, j);
    }
    std::vector<float> scratch(kernels::gather_scratch(width));
    std::vector<double> got(width * width, 1.0);  // sums are added
    std::vector<double> got_right(width, 2.0);
    std::vector<double> got_spread(width, 3.0);
    row_kernels().gather(tested.row(), tested.table.data(), tested.variance.data(), width,
                         tested.residual.data(), tested.weights(), scratch.data(), got.data(),
                         got_right.data(), got_spread.data());
    for (int i = 0; i < width; ++i) {
      EXPECT_NEAR(got_right[i], 2.0 + right(i), kFloatSums);
      EXPECT_NEAR(got_spread[i], 3.0 + spread(i), kFloatSums);
      for (int j = i; j < width; ++j) EXPECT_NEAR(got[i * width + j], 1.0 + gram(i, j), kFloatSums);
    }
  });
}

TEST(RowKernels, SolveInverts) {
  test::with_each_kernel_set([] {
    for (const int width : {8, 16, 40}) {
      Rng rng(5);
      const Matrix<double> half = Matrix<double>::NullaryExpr(width + 3, width, [&] { return rng.normal(); });
      Matrix<double> gram = half.transpose() * half + Matrix<double>::Identity(width, width);
      const Eigen::VectorXd right = Eigen::VectorXd::NullaryExpr(width, [&] { return rng.normal(); });
      const Eigen::VectorXd want = Eigen::MatrixXd(gram).llt().solve(right);
      Eigen::VectorXd x = right;
      for (int i = 1; i < width; ++i)
        for (int j = 0; j < i; ++j) gram(i, j) = 1e9;  // the lower triangle is not read
      row_kernels().solve(gram.data(), width, x.data());
      EXPECT_LT((x - want).norm(), 1e-12 * want.norm()) << width;
    }
  });
}

TEST(RowKernels, AdvanceProductsAndSumsAreTheNaiveOnes) {
  for_each_case([](const RowCase& tested) {
    const int width = tested.width;
    std::vector<float> residual = tested.residual;
    row_kernels().advance(tested.row(), tested.table.data(), width, tested.own.data(), residual.data());
    std::vector<double> product(tested.entry.size());
    row_kernels().products(tested.row(), tested.table.data(), width, tested.own.data(), product.data());
    std::vector<float> sum(width, 1.0F);
    row_kernels().add_rows(tested.row(), tested.table.data(), width, tested.weights(), sum.data());
    Eigen::VectorXd own(width);
    for (int k = 0; k < width; ++k) own(k) = static_cast<double>(tested.own[k]);
    Eigen::VectorXd want_sum = Eigen::VectorXd::Ones(width);
    for (std::size_t j = 0; j < tested.entry.size(); ++j) {
      const Eigen::VectorXd t = tested.at(tested.table, j);
      const double want = own.dot(t);
      const Index e = tested.entry[j];
      EXPECT_NEAR(product[j], want, 1e-12);
      EXPECT_NEAR(static_cast<double>(residual[e]), static_cast<double>(tested.residual[e]) - want, 1e-4);
      want_sum += tested.mass(j) * t;
    }
    for (int k = 0; k < width; ++k) EXPECT_NEAR(static_cast<double>(sum[k]), want_sum(k), kFloatSums);
  });
}

}  // namespace
}  // namespace lacuna
