// SPDX-License-Identifier: MIT
#include <cmath>
#include <complex>
#include <lacuna/base/parallel.hpp>
#include <lacuna/linalg/svt.hpp>
#include <lacuna/linalg/tubal.hpp>
#include <numbers>

namespace lacuna {
namespace {

// Rows of the Fourier matrix; tubes are short, so n^2 is no loss against a fast transform.
Eigen::MatrixXcd fourier_rows(Eigen::Index size) {
  Eigen::MatrixXcd rows(size / 2 + 1, size);
  for (Eigen::Index f = 0; f < rows.rows(); ++f)
    for (Eigen::Index i = 0; i < size; ++i)
      rows(f, i) = std::polar(
          1.0, -2.0 * std::numbers::pi * static_cast<double>(f * i % size) / static_cast<double>(size));
  return rows;
}

}  // namespace

int frequency_weight(Eigen::Index frequency, Eigen::Index size) {
  return frequency == 0 || 2 * frequency == size ? 1 : 2;
}

Eigen::MatrixXcd tube_spectrum(std::span<const double> x, const Shape& shape, int mode) {
  return fourier_rows(shape[mode]) * unfold(x, shape, mode);
}

void from_tube_spectrum(const Eigen::MatrixXcd& spectrum, const Shape& shape, int mode, std::span<double> x) {
  const auto size = shape[mode];
  Eigen::MatrixXcd inverse = fourier_rows(size).adjoint() / static_cast<double>(size);
  for (Eigen::Index f = 0; f < inverse.cols(); ++f) inverse.col(f) *= frequency_weight(f, size);
  fold((inverse * spectrum).real(), shape, mode, x);
}

double threshold_tubal(std::span<const double> x, const Shape& shape, int mode, double tau,
                       std::span<double> z) {
  const auto size = shape[mode];
  const auto rows = shape[mode == 0 ? 1 : 0];
  Eigen::MatrixXcd spectrum = tube_spectrum(x, shape, mode);
  Eigen::VectorXd norm(spectrum.rows());
  parallel_tasks(static_cast<int>(spectrum.rows()), [&](int f) {
    Eigen::MatrixXcd slice = spectrum.row(f).reshaped(rows, spectrum.cols() / rows);
    norm(f) = frequency_weight(f, size) * threshold_singular_values(slice, tau);
    spectrum.row(f) = slice.reshaped().transpose();
  });
  from_tube_spectrum(spectrum, shape, mode, z);
  return norm.sum() / static_cast<double>(size);
}

}  // namespace lacuna
