// SPDX-License-Identifier: MIT
// Singular value thresholding of a column-major matrix in place, compiled once for each instruction set; see
// <lacuna/linalg/svt.hpp>, which chooses. No Eigen here: the files compiled for AVX2 have one of their own.
#pragma once

#include <complex>
#include <cstddef>

namespace lacuna {
namespace baseline {
double threshold(double* x, std::ptrdiff_t rows, std::ptrdiff_t columns, double tau);
double threshold(std::complex<double>* x, std::ptrdiff_t rows, std::ptrdiff_t columns, double tau);
}  // namespace baseline
namespace avx2 {  // only where machine_has_avx2()
double threshold(double* x, std::ptrdiff_t rows, std::ptrdiff_t columns, double tau);
double threshold(std::complex<double>* x, std::ptrdiff_t rows, std::ptrdiff_t columns, double tau);
}  // namespace avx2
}  // namespace lacuna
