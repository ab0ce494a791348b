// SPDX-License-Identifier: MIT
#include "linalg/tubal.hpp"

#include <Eigen/Core>
#include <cmath>
#include <complex>
#include <numbers>
#include <unsupported/Eigen/FFT>

#include "base/parallel.hpp"
#include "linalg/svt.hpp"

namespace lacuna {
namespace {

constexpr Eigen::Index kShortTube = 64;  // below, the matrix is as fast as the fast transform
constexpr std::int64_t kTubesAtOnce = 512;

// Complex numbers as pairs of real ones, real part first.
Eigen::Map<Eigen::MatrixXd> pairs(Eigen::MatrixXcd& spectrum) {
  return {reinterpret_cast<double*>(spectrum.data()), 2 * spectrum.rows(), spectrum.cols()};
}
Eigen::Map<const Eigen::MatrixXd> pairs(const Eigen::MatrixXcd& spectrum) {
  return {reinterpret_cast<const double*>(spectrum.data()), 2 * spectrum.rows(), spectrum.cols()};
}

// Rows 2f and 2f + 1: real and imaginary part of exp(-2 pi i f t / size) for t = 0 .. size - 1.
Eigen::MatrixXd fourier_rows(Eigen::Index size) {
  Eigen::MatrixXd rows(2 * (size / 2 + 1), size);
  for (Eigen::Index f = 0; 2 * f < rows.rows(); ++f)
    for (Eigen::Index t = 0; t < size; ++t) {
      const double angle =
          2.0 * std::numbers::pi * static_cast<double>(f * t % size) / static_cast<double>(size);
      rows(2 * f, t) = std::cos(angle);
      rows(2 * f + 1, t) = -std::sin(angle);
    }
  return rows;
}

// The fast transform has steps of 2 to 5 only; other factors cost it the square, without vector instructions.
bool worth_a_fast_transform(Eigen::Index size) {
  Eigen::Index rest = size;
  for (const Eigen::Index factor : {2, 3, 5})
    while (rest % factor == 0) rest /= factor;
  return size >= kShortTube && rest == 1;
}

// body(first, count) for ranges of tubes.
template <class Body>
void in_blocks_of_tubes(Eigen::Index tubes, Body&& body) {
  parallel_blocks(
      tubes, [&](std::int64_t begin, std::int64_t end) { body(begin, end - begin); }, kTubesAtOnce);
}

Eigen::FFT<double> fast_transform() {
  return {Eigen::default_fft_impl<double>(), Eigen::FFT<double>::HalfSpectrum};
}

}  // namespace

int frequency_weight(Eigen::Index frequency, Eigen::Index size) {
  return frequency == 0 || 2 * frequency == size ? 1 : 2;
}

Eigen::MatrixXcd tube_spectrum(std::span<const double> x, const Shape& shape, int mode) {
  const Eigen::Index size = shape[mode];
  const Eigen::MatrixXd tubes = unfold(x, shape, mode);
  Eigen::MatrixXcd spectrum(size / 2 + 1, tubes.cols());
  if (worth_a_fast_transform(size)) {
    in_blocks_of_tubes(tubes.cols(), [&](Eigen::Index first, Eigen::Index count) {
      Eigen::FFT<double> transform = fast_transform();
      for (Eigen::Index c = first; c < first + count; ++c)
        transform.fwd(spectrum.col(c).data(), tubes.col(c).data(), size);
    });
  } else {
    const Eigen::MatrixXd fourier = fourier_rows(size);
    in_blocks_of_tubes(tubes.cols(), [&](Eigen::Index first, Eigen::Index count) {
      pairs(spectrum).middleCols(first, count).noalias() = fourier * tubes.middleCols(first, count);
    });
  }
  return spectrum;
}

void from_tube_spectrum(const Eigen::MatrixXcd& spectrum, const Shape& shape, int mode, std::span<double> x) {
  const Eigen::Index size = shape[mode];
  Eigen::MatrixXd tubes(size, spectrum.cols());
  if (worth_a_fast_transform(size)) {
    in_blocks_of_tubes(tubes.cols(), [&](Eigen::Index first, Eigen::Index count) {
      Eigen::FFT<double> transform = fast_transform();
      for (Eigen::Index c = first; c < first + count; ++c)
        transform.inv(tubes.col(c).data(), spectrum.col(c).data(), size);
    });
  } else {
    // x_t = sum_f weight_f / n (Re s_f cos - Im s_f sin), the angles those of fourier_rows
    Eigen::MatrixXd inverse = fourier_rows(size).transpose() / static_cast<double>(size);
    for (Eigen::Index f = 0; 2 * f < inverse.cols(); ++f)
      inverse.middleCols(2 * f, 2) *= frequency_weight(f, size);
    in_blocks_of_tubes(tubes.cols(), [&](Eigen::Index first, Eigen::Index count) {
      tubes.middleCols(first, count).noalias() = inverse * pairs(spectrum).middleCols(first, count);
    });
  }
  fold(tubes, shape, mode, x);
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
