// SPDX-License-Identifier: MIT
// Singular value thresholding in place, compiled once for each instruction set; <lacuna/linalg/svt.hpp>
// chooses. No Eigen here: the file compiled for AVX2 has one of its own.
//
// x is `left` x `size` x `right` numbers, the first index fastest; its matrix has a row for each index of the
// middle one, a column for each choice of the others. `size` should not exceed left * right: the Gram matrix
// is that large. Of the singular values above tau the largest `unshrunk` stay as they are.
#pragma once

#include <complex>
#include <cstddef>

namespace lacuna {
namespace baseline {
double threshold(double* x, std::ptrdiff_t left, std::ptrdiff_t size, std::ptrdiff_t right, double tau,
                 std::ptrdiff_t unshrunk);
double threshold(std::complex<double>* x, std::ptrdiff_t left, std::ptrdiff_t size, std::ptrdiff_t right,
                 double tau, std::ptrdiff_t unshrunk);
}  // namespace baseline
namespace avx2 {  // only where machine_has_avx2()
double threshold(double* x, std::ptrdiff_t left, std::ptrdiff_t size, std::ptrdiff_t right, double tau,
                 std::ptrdiff_t unshrunk);
double threshold(std::complex<double>* x, std::ptrdiff_t left, std::ptrdiff_t size, std::ptrdiff_t right,
                 double tau, std::ptrdiff_t unshrunk);
}  // namespace avx2
}  // namespace lacuna
