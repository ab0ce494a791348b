// SPDX-License-Identifier: MIT
// Products with a factor for the fibers, entry by entry and at several thread counts.
#include "kernels/fiber_products.hpp"

#include <gtest/gtest.h>

#include <set>

#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

constexpr double kRounding = 1e-12;  // sums of at most some dozen products of order one

// The fiber of every entry, numbered as FiberView says.
std::vector<Count> fiber_of_entries(const FiberView& view, Count entries) {
  std::vector<Count> fiber(static_cast<std::size_t>(entries), -1);
  for (Count f = 0; f < view.listed_fibers(); ++f)
    for (Count j = view.span(f).begin; j < view.span(f).end; ++j) fiber[view.entry()[j]] = f;
  for (Count e = 0; e < entries; ++e)
    if (view.is_single(e)) fiber[e] = view.fiber_of_single(e);
  return fiber;
}

TEST(FiberProducts, EveryFiberHasOneNumber) {
  Rng rng(1);
  const ObservedTensor tensor = test::random_tensor({40, 30, 20}, 900, rng, 1.5);
  for (const PartSpec& part : full_parts(3)) {
    const FiberView view(tensor, part);
    const std::vector<Count> fiber = fiber_of_entries(view, tensor.size());
    EXPECT_EQ(static_cast<Count>(std::set<Count>(fiber.begin(), fiber.end()).size()), view.fibers());
    EXPECT_EQ(*std::max_element(fiber.begin(), fiber.end()), view.fibers() - 1);
    EXPECT_GE(*std::min_element(fiber.begin(), fiber.end()), 0);
  }
}

TEST(FiberProducts, EqualTheirNaiveTwinsAtAnyThreadCount) {
  Rng rng(2);
  const ObservedTensor tensor = test::random_tensor({40, 30, 20}, 900, rng, 1.5);
  const std::vector<double> z = test::random_vector<double>(tensor.size(), rng);
  for (const PartSpec& spec : full_parts(3)) {
    const PartKernels part(tensor, spec);
    const std::vector<Count> fiber = fiber_of_entries(part.view(), tensor.size());
    const Matrix<double> left = test::random_matrix<double>(part.rows(), 3, rng);
    const Matrix<double> right = test::random_matrix<double>(part.view().fibers(), 3, rng);
    Matrix<double> transposed = Matrix<double>::Zero(part.view().fibers(), 3);
    std::vector<double> values(z.size(), 0.5);
    for (Count e = 0; e < tensor.size(); ++e) {
      const auto row = left.row(tensor.index(spec.mode)[e]);
      transposed.row(fiber[e]) += z[e] * row;
      values[e] += row.dot(right.row(fiber[e]));
    }
    for (const int threads : {1, 2, 3}) {
      const test::WithThreads scope(threads);
      EXPECT_LT((times_transposed(part, z, left) - transposed).cwiseAbs().maxCoeff(), kRounding);
      std::vector<double> got(z.size(), 0.5);
      add_products(part, left, right, std::span<double>(got));
      for (std::size_t e = 0; e < got.size(); ++e) EXPECT_NEAR(got[e], values[e], kRounding);
    }
  }
}

}  // namespace
}  // namespace lacuna
