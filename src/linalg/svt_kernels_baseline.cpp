// SPDX-License-Identifier: MIT
// Singular value thresholding for the compiler's default instruction set.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "linalg/svt_kernels.hpp"
#include "linalg/tridiagonal.hpp"

namespace lacuna::baseline {
namespace {
#include "linalg/svt_kernels_impl.hpp"
}

double threshold(double* x, std::ptrdiff_t left, std::ptrdiff_t size, std::ptrdiff_t right, double tau,
                 std::ptrdiff_t unshrunk) {
  return threshold_any(x, left, size, right, tau, unshrunk);
}
double threshold(std::complex<double>* x, std::ptrdiff_t left, std::ptrdiff_t size, std::ptrdiff_t right,
                 double tau, std::ptrdiff_t unshrunk) {
  return threshold_any(x, left, size, right, tau, unshrunk);
}

}  // namespace lacuna::baseline
