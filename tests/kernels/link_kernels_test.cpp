// SPDX-License-Identifier: MIT
// The kernels of link prediction against loops in double, for every instruction set this machine has.
#include "kernels/link_kernels.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "base/rng.hpp"
#include "kernels/fiber_kernels.hpp"

namespace lacuna::kernels {
namespace {

std::vector<float> random_floats(Count size, double scale, Rng& rng) {
  std::vector<float> list(static_cast<std::size_t>(size));
  for (float& one : list) one = static_cast<float>(scale * rng.normal());
  return list;
}

class LinkKernelSets : public testing::TestWithParam<int> {
 protected:
  void SetUp() override {
    if (GetParam() >= kernel_sets()) GTEST_SKIP() << "not on this machine";
    use_kernels(GetParam());
  }
  void TearDown() override { use_kernels(kernel_sets() - 1); }
};

INSTANTIATE_TEST_SUITE_P(All, LinkKernelSets, testing::Values(0, 1));

TEST_P(LinkKernelSets, AddProductIsAProductOfMatrices) {
  Rng rng(11);
  for (const Count rows : {1, 3, 4, 9})
    for (const Count inner : {1, 5, 300})
      for (const Count columns : {8, 16, 32, 56}) {
        for (const bool transposed : {false, true}) {
          const std::vector<float> a = random_floats(rows * inner, 1.0, rng);
          const std::vector<float> b = random_floats(inner * columns, 1.0, rng);
          std::vector<float> c = random_floats(rows * columns, 1.0, rng);
          const std::vector<float> before = c;
          const StridedMatrix left{
              .data = a.data(), .row = transposed ? 1 : inner, .column = transposed ? rows : 1};
          link_kernels().add_product(left, b.data(), columns, c.data(), columns, rows, inner, columns);
          for (Count i = 0; i < rows; ++i)
            for (Count j = 0; j < columns; ++j) {
              double sum = static_cast<double>(before[i * columns + j]);
              for (Count l = 0; l < inner; ++l)
                sum += static_cast<double>(a[i * left.row + l * left.column]) *
                       static_cast<double>(b[l * columns + j]);
              EXPECT_NEAR(static_cast<double>(c[i * columns + j]), sum, 1e-4);
            }
        }
      }
}

TEST_P(LinkKernelSets, SoftmaxIsOfColumns) {
  Rng rng(12);
  for (const Count rows : {1, 2, 77})
    for (const Count columns : {8, 32, 40}) {
      std::vector<float> s = random_floats(rows * columns, 10.0, rng);
      s[0] = -400.0F;  // far below: nothing is left of it
      const std::vector<float> before = s;
      std::vector<float> largest(static_cast<std::size_t>(columns));
      std::vector<float> total(static_cast<std::size_t>(columns));
      link_kernels().softmax(s.data(), rows, columns, largest.data(), total.data());
      for (Count j = 0; j < columns; ++j) {
        float most = before[j];
        for (Count i = 0; i < rows; ++i) most = std::max(most, before[i * columns + j]);
        EXPECT_EQ(largest[j], most);
        double sum = 0.0;
        for (Count i = 0; i < rows; ++i) {
          // Of the difference as a float has it: an error of its last bit is one of |difference| bits here.
          const double value = std::exp(static_cast<double>(before[i * columns + j] - most));
          EXPECT_NEAR(static_cast<double>(s[i * columns + j]), value, 3e-7 * value + 1e-37);
          sum += value;
        }
        EXPECT_NEAR(static_cast<double>(total[j]), sum, 1e-5 * sum);
      }
    }
}

TEST_P(LinkKernelSets, AdagradDividesByTheRootOfTheSquaresSoFar) {
  Rng rng(13);
  constexpr Count kSize = 24;
  std::vector<float> x = random_floats(kSize, 1.0, rng);
  std::vector<float> squares(kSize, 0.25F);
  std::vector<float> gradient = random_floats(kSize, 1.0, rng);
  gradient[3] = 0.0F;
  const std::vector<float> before = x;
  link_kernels().adagrad(x.data(), squares.data(), gradient.data(), 0.1F, kSize);
  for (std::size_t i = 0; i < kSize; ++i) {
    const double g = gradient[i];
    EXPECT_NEAR(squares[i], 0.25 + g * g, 1e-6);
    EXPECT_NEAR(x[i], static_cast<double>(before[i]) - 0.1 * g / std::sqrt(0.25 + g * g), 1e-6);
  }
  EXPECT_EQ(x[3], before[3]);
}

}  // namespace
}  // namespace lacuna::kernels
