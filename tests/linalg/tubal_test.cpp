// SPDX-License-Identifier: MIT
#include "linalg/tubal.hpp"

#include <gtest/gtest.h>

#include <complex>
#include <numbers>

#include "base/rng.hpp"

namespace lacuna {
namespace {

std::vector<double> random_cells(const Shape& shape, Rng& rng) {
  std::vector<double> x(static_cast<std::size_t>(cell_count(shape)));
  for (double& value : x) value = rng.normal();
  return x;
}

double distance(std::span<const double> a, std::span<const double> b) {
  double squares = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) squares += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(squares);
}

TEST(Tubal, TheSpectrumIsUndone) {
  Rng rng(71);
  for (const Shape& shape :
       {Shape{4, 5, 3}, Shape{4, 2, 3}, Shape{1, 5, 3}, Shape{6, 2, 3}, Shape{64, 2, 75}})
    for (int mode = 0; mode < 3; ++mode) {
      const std::vector<double> x = random_cells(shape, rng);
      std::vector<double> back(x.size());
      from_tube_spectrum(tube_spectrum(x, shape, mode), shape, mode, back);
      EXPECT_LT(distance(x, back), 1e-12);
    }
}

// Sizes below and above those for which the fast transform is taken, odd and even, with large factors and
// without.
TEST(Tubal, TheSpectrumIsTheSumThatDefinesIt) {
  Rng rng(74);
  for (const Eigen::Index n : {1, 5, 8, 64, 67, 75, 90, 128}) {
    const Shape shape = {3, 2, n};
    const std::vector<double> x = random_cells(shape, rng);
    const Eigen::MatrixXcd spectrum = tube_spectrum(x, shape, 2);
    ASSERT_EQ(spectrum.rows(), n / 2 + 1);
    for (Eigen::Index f = 0; f < spectrum.rows(); ++f)
      for (Eigen::Index tube = 0; tube < 6; ++tube) {
        std::complex<double> sum = 0.0;
        for (Eigen::Index t = 0; t < n; ++t)
          sum += x[tube + 6 * t] * std::polar(1.0, -2.0 * std::numbers::pi * static_cast<double>(f * t) /
                                                       static_cast<double>(n));
        EXPECT_LT(std::abs(spectrum(f, tube) - sum), 1e-11);
      }
  }
}

// C(i, k, t) = sum_j sum_s A(i, j, s) B(j, k, (t - s) mod n)
TEST(Tubal, ProductsOfSlicesAreCircularConvolutionsOfTubes) {
  Rng rng(72);
  for (const Eigen::Index n : {1, 2, 3, 6, 7, 80}) {
    const Shape of_a = {4, 3, n}, of_b = {3, 5, n}, of_c = {4, 5, n};
    const std::vector<double> a = random_cells(of_a, rng), b = random_cells(of_b, rng);
    std::vector<double> defined(static_cast<std::size_t>(cell_count(of_c)), 0.0);
    for (Eigen::Index i = 0; i < 4; ++i)
      for (Eigen::Index k = 0; k < 5; ++k)
        for (Eigen::Index t = 0; t < n; ++t)
          for (Eigen::Index j = 0; j < 3; ++j)
            for (Eigen::Index s = 0; s < n; ++s)
              defined[i + 4 * (k + 5 * t)] += a[i + 4 * (j + 3 * s)] * b[j + 3 * (k + 5 * ((t - s + n) % n))];

    const Eigen::MatrixXcd fa = tube_spectrum(a, of_a, 2), fb = tube_spectrum(b, of_b, 2);
    Eigen::MatrixXcd fc(fa.rows(), 20);
    for (Eigen::Index f = 0; f < fa.rows(); ++f) {
      const Eigen::MatrixXcd product = fa.row(f).reshaped(4, 3).matrix() * fb.row(f).reshaped(3, 5).matrix();
      fc.row(f) = product.reshaped().transpose();
    }
    std::vector<double> transformed(defined.size());
    from_tube_spectrum(fc, of_c, 2, transformed);
    EXPECT_LT(distance(defined, transformed), 1e-11);
  }
}

// The proximal operator of f is nowhere longer than its argument's distance, and f(Z) + ||Z - X||^2 / (2 tau)
// is least there: checked against points nearby, f evaluated by thresholding at 0.
TEST(Tubal, ThresholdingIsTheProximalOperator) {
  Rng rng(73);
  const Shape shape = {4, 5, 4};
  constexpr double kTau = 0.9;
  for (int mode = 0; mode < 3; ++mode) {
    const std::vector<double> x = random_cells(shape, rng);
    std::vector<double> z(x.size()), scratch(x.size());
    const double norm = threshold_tubal(x, shape, mode, kTau, z);
    const auto cost = [&](const std::vector<double>& at) {
      const double d = distance(at, x);
      return kTau * threshold_tubal(at, shape, mode, 0.0, scratch) + 0.5 * d * d;
    };
    EXPECT_NEAR(threshold_tubal(z, shape, mode, 0.0, scratch), norm, 1e-6);
    for (int trial = 0; trial < 100; ++trial) {
      std::vector<double> other = random_cells(shape, rng);
      for (std::size_t i = 0; i < z.size(); ++i) other[i] = z[i] + std::pow(10.0, -trial % 4) * other[i];
      EXPECT_LE(cost(z), cost(other) + 1e-7);
    }
  }
}

}  // namespace
}  // namespace lacuna
