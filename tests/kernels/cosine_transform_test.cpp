// SPDX-License-Identifier: MIT
// The cosine transform against its definition, wherever its lines lie.
#include "kernels/cosine_transform.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numbers>
#include <stdexcept>

#include "base/rng.hpp"

namespace lacuna {
namespace {

template <class Real>
void check_length(std::ptrdiff_t m, const Lines& lines) {
  SCOPED_TRACE(m);
  const CosineTransform<Real> transform(m);
  std::vector<Real> scratch(transform.scratch());
  Rng rng(700);
  std::vector<Real> x(static_cast<std::size_t>((m - 1) * lines.along + (lines.count - 1) * lines.across + 1));
  for (Real& value : x) value = static_cast<Real>(rng.normal());
  std::vector<Real> got = x;
  transform.forward(got.data(), lines, scratch.data());
  // Rounding in O(log m) stages of sums of up to 5 terms, on numbers of size 1 to sqrt(m).
  const double bound = 20 * std::sqrt(static_cast<double>(m)) * std::numeric_limits<Real>::epsilon();
  for (std::ptrdiff_t i = 0; i < lines.count; ++i)
    for (std::ptrdiff_t k = 0; k < m; ++k) {
      double sum = 0.0;
      for (std::ptrdiff_t n = 0; n < m; ++n)
        sum += static_cast<double>(x[n * lines.along + i * lines.across]) *
               std::cos(std::numbers::pi * static_cast<double>(k * (2 * n + 1) % (4 * m)) /
                        (2.0 * static_cast<double>(m)));
      sum *= std::sqrt((k == 0 ? 1.0 : 2.0) / static_cast<double>(m));
      ASSERT_NEAR(static_cast<double>(got[k * lines.along + i * lines.across]), sum, bound);
    }
  transform.inverse(got.data(), lines, scratch.data());
  for (std::size_t i = 0; i < x.size(); ++i)
    ASSERT_NEAR(static_cast<double>(got[i]), static_cast<double>(x[i]), bound);
}

TEST(CosineTransform, EqualsItsDefinitionAtEveryQuickLength) {
  for (std::ptrdiff_t m = 1; m <= 100; ++m) {
    if (m != CosineTransform<double>::next_length(m)) continue;
    check_length<double>(m, {.along = 1, .across = m, .count = 5});
    check_length<float>(m, {.along = 1, .across = m, .count = 5});
  }
}

TEST(CosineTransform, LinesMayLieEitherWayAndBeFewOrMany) {
  for (const std::ptrdiff_t count : {1, 15, 16, 17, 32}) {
    check_length<double>(60, {.along = count, .across = 1, .count = count});
    check_length<double>(48, {.along = 2, .across = 101, .count = count});
  }
  check_length<double>(256, {.along = 1, .across = 256, .count = 3});
}

TEST(CosineTransform, ALineIsTheSameInAnyCompany) {
  const CosineTransform<float> transform(90);
  std::vector<float> scratch(transform.scratch());
  Rng rng(701);
  std::vector<float> together(90 * 32);
  for (float& value : together) value = static_cast<float>(rng.normal());
  for (const std::ptrdiff_t line : {0, 7, 16, 31}) {
    std::vector<float> alone(together.begin() + line * 90, together.begin() + (line + 1) * 90);
    std::vector<float> all = together;
    transform.forward(all.data(), {.along = 1, .across = 90, .count = 32}, scratch.data());
    transform.forward(alone.data(), {.along = 1, .across = 90, .count = 1}, scratch.data());
    double largest = 0.0;
    for (std::ptrdiff_t k = 0; k < 90; ++k)
      largest = std::max(largest, static_cast<double>(std::abs(alone[k] - all[line * 90 + k])));
    EXPECT_LT(largest, 1e-5) << line;  // two lines share a transform: equal up to rounding
  }
}

TEST(CosineTransform, RefusesOtherLengths) {
  EXPECT_EQ(CosineTransform<double>::next_length(203), 216);
  EXPECT_EQ(CosineTransform<double>::next_length(1), 1);
  EXPECT_THROW(CosineTransform<double>(7), std::invalid_argument);
  EXPECT_THROW(CosineTransform<double>(0), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
