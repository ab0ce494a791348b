// SPDX-License-Identifier: MIT
// The sparse Tucker kernels against their definitions, cell by cell.
#include "kernels/tucker_kernels.hpp"

#include <gtest/gtest.h>

#include "support/threads.hpp"
#include "support/tucker_tensor.hpp"

namespace lacuna {
namespace {

using test::naive_value;

constexpr double kRounding = 1e-11;  // sums of at most a few hundred products of order one

struct Case {
  std::vector<Index> extents;
  std::vector<int> ranks;
};
const std::vector<Case> kCases = {{{7, 6}, {2, 3}}, {{6, 5, 4}, {3, 1, 2}}, {{5, 4, 3, 3}, {2, 3, 2, 2}}};

std::vector<Index> cell_at(const Cells& index, Count i) {
  std::vector<Index> cell;
  for (int k = 0; k < index.order(); ++k) cell.push_back(index.mode(k)[i]);
  return cell;
}

// Every number of a Tucker tensor, in turn.
template <class Body>
void each_number(Tucker& x, Body&& body) {
  for (double& value : x.core) body(value);
  for (Matrix<double>& factor : x.factors)
    for (double& value : flat(factor)) body(value);
}

TEST(TuckerKernels, TheThinOrderHasTheFewestFibersLast) {
  // Fibers along mode 0 are whole, there are only two pairs of the others; along the others they are single.
  Cells index(3);
  for (const Index pair : {0U, 1U})
    for (Index i = 0; i < 6; ++i) {
      index.add({i, pair, 3 - pair});
    }
  EXPECT_EQ(thin_order(index).back(), 0);
  // Every cell is there: the longest mode comes last, then the next, and of equals the order stays.
  EXPECT_EQ(thin_order(test::every_cell({4, 7, 2})), (std::vector<int>{2, 0, 1}));
  EXPECT_EQ(thin_order(test::every_cell({3, 3, 3, 3})), (std::vector<int>{0, 1, 2, 3}));
}

TEST(TuckerKernels, ValuesAndDerivativesEqualTheirDefinitions) {
  Rng rng(61);
  for (const Case& one : kCases) {
    const Tucker x = test::random_tucker(one.extents, one.ranks, rng);
    const Tucker u = test::random_tucker(one.extents, one.ranks, rng);
    const Cells index = test::random_cells(one.extents, 30, rng);  // in no order
    std::vector<double> value(30, 0.0), sorted(30, 0.0), derivative(30, 0.0);
    add_values(x, index, value);
    add_values(x, SortedCells(index), sorted);
    add_derivatives(x, u, index, derivative);
    for (Count i = 0; i < 30; ++i) {
      const std::vector<Index> cell = cell_at(index, i);
      EXPECT_NEAR(value[i], naive_value(x, cell), kRounding);
      EXPECT_TRUE(test::same_bits(value[i], sorted[i]));
      Tucker part = x;  // the value is linear in the core and in each factor
      part.core = u.core;
      double sum = naive_value(part, cell);
      for (int k = 0; k < x.order(); ++k) {
        part = x;
        part.factors[k] = u.factors[k];
        sum += naive_value(part, cell);
      }
      EXPECT_NEAR(derivative[i], sum, kRounding);
    }
  }
}

TEST(TuckerKernels, TheGradientIsThatOfTheWeightedSum) {
  Rng rng(62);
  for (const Case& one : kCases) {
    const Tucker x = test::random_tucker(one.extents, one.ranks, rng);
    const ObservedTensor cells = test::random_tensor(one.extents, 30, rng);
    Tucker gradient = x;
    each_number(gradient, [](double& value) { value = 0.0; });
    add_gradient(x, cells.cells(), cells.values(), gradient);
    // <gradient, u> = sum_i e_i DX(cell i)[u], for every unit vector u
    Tucker unit = gradient;
    each_number(unit, [](double& value) { value = 0.0; });
    std::vector<double> numbers;
    each_number(gradient, [&](double& value) { numbers.push_back(value); });
    std::size_t n = 0;
    each_number(unit, [&](double& value) {
      value = 1.0;
      std::vector<double> along(30, 0.0);
      add_derivatives(x, unit, cells.cells(), along);
      double sum = 0.0;
      for (Count i = 0; i < 30; ++i) sum += cells.values()[i] * along[i];
      EXPECT_NEAR(numbers[n++], sum, kRounding);
      value = 0.0;
    });
  }
}

TEST(TuckerKernels, SameBitsAtAnyThreadCount) {
  Rng rng(63);
  const ObservedTensor cells = test::random_tensor({60, 50, 40}, 80000, rng);
  const Tucker x = test::random_tucker({60, 50, 40}, {3, 4, 2}, rng);
  std::vector<double> first;
  for (const int threads : {1, 2, 3, 5}) {
    const test::WithThreads scope(threads);
    Tucker gradient = x;
    add_gradient(x, cells.cells(), cells.values(), gradient);
    std::vector<double> numbers;
    each_number(gradient, [&](double& value) { numbers.push_back(value); });
    if (first.empty()) first = numbers;
    EXPECT_TRUE(test::same_bits<double>(first, numbers)) << threads << " threads";
  }
}

}  // namespace
}  // namespace lacuna
