// SPDX-License-Identifier: MIT
// What the kernel tests share: a tensor with its parts, conversions to double, and comparison up to rounding.
#pragma once

#include <gtest/gtest.h>

#include <limits>

#include "kernels/data_operator.hpp"
#include "kernels/fiber_kernels.hpp"
#include "support/naive.hpp"
#include "support/random_tensor.hpp"

namespace lacuna::test {

// Every rank up to a full set of vectors in double, and ranks that need several blocks of columns: 25 and 31
// in double, 60 in both precisions.
inline std::vector<int> tested_ranks() {
  std::vector<int> ranks;
  for (int rank = 1; rank <= 24; ++rank) ranks.push_back(rank);
  ranks.insert(ranks.end(), {25, 31, 60});
  return ranks;
}

// Runs body() with each set of kernels this machine has, then goes back to the best.
template <class Body>
void with_each_kernel_set(Body&& body) {
  for (int set = 0; set < kernels::kernel_sets(); ++set) {
    kernels::use_kernels(set);
    SCOPED_TRACE(testing::Message() << "kernel set " << set);
    body();
  }
  kernels::use_kernels(kernels::kernel_sets() - 1);
}

inline testing::Message describe_part(const PartSpec& part, int rank) {
  testing::Message text;
  text << "part (" << part.mode << ", {";
  for (const int mode : part.agree) text << ' ' << mode;
  text << " }), powers " << part.row_power << ", " << part.fiber_power << ", rank " << rank;
  return text;
}

// Parts of a tensor of three modes in weighted norms: rows, fibers, both, marginal, and one the other way
// round.
inline std::vector<PartSpec> weighted_parts() {
  return {{.mode = 1, .agree = {0, 2}, .row_power = 0.5, .fiber_power = 0.5},
          {.mode = 0, .agree = {1, 2}, .row_power = 1.0, .fiber_power = 0.0},
          {.mode = 2, .agree = {0, 1}, .row_power = 0.0, .fiber_power = 1.0},
          {.mode = 0, .agree = {1}, .row_power = 0.3, .fiber_power = 0.8},
          {.mode = 1, .agree = {}, .row_power = 1.0, .fiber_power = 1.0},
          {.mode = 2, .agree = {1}, .row_power = -0.5, .fiber_power = -0.4}};
}

inline void expect_every_kind_of_fiber(const FiberView& view) {
  EXPECT_TRUE(view.single_fibers() > 0 && view.short_fibers(2) > 0 && view.short_fibers(3) > 0 &&
              view.short_fibers(4) > 0 && view.long_fibers() > 0);
}

template <class Real>
[[nodiscard]] Matrix<double> in_double(const Matrix<Real>& matrix) {
  return matrix.template cast<double>();
}
template <class Real>
[[nodiscard]] Eigen::VectorXd in_double(const std::vector<Real>& vector) {
  return Eigen::Map<const Eigen::Matrix<Real, Eigen::Dynamic, 1>>(vector.data(),
                                                                  static_cast<Eigen::Index>(vector.size()))
      .template cast<double>();
}

// Adding n numbers in any order errs by at most about n epsilon times the sum of their absolute values
// (Higham 2002, section 4.2). A kernel's sums run over a fiber, then over the columns; a row of a Gram
// product also over fibers, and so at most over all entries. A few roundings more come from the scale, the
// products and the value added to.
inline constexpr double kFewRoundings = 10.0;

template <class Real>
[[nodiscard]] double rounding(double summands) {
  return (summands + kFewRoundings) * static_cast<double>(std::numeric_limits<Real>::epsilon());
}

// |got - want| <= relative * magnitude, number by number; stops at the first that is not.
template <class Real>
void expect_close(std::span<const Real> got, std::span<const double> want, std::span<const double> magnitude,
                  double relative) {
  ASSERT_EQ(got.size(), want.size());
  for (std::size_t i = 0; i < got.size(); ++i)
    ASSERT_NEAR(static_cast<double>(got[i]), want[i], relative * magnitude[i]) << "at " << i;
}

inline std::span<const double> as_span(const Eigen::VectorXd& vector) {
  return {vector.data(), static_cast<std::size_t>(vector.size())};
}

}  // namespace lacuna::test
