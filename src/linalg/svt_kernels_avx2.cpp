// SPDX-License-Identifier: MIT
// Singular value thresholding for AVX2 and FMA.

// In a namespace of its own: the linker keeps one copy of templates of the same name, and the copy compiled
// with these flags must not be used by the rest of the program, which runs on processors without AVX2 too.
#define Eigen EigenAvx2
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "linalg/svt_kernels.hpp"
#include "linalg/tridiagonal.hpp"

namespace lacuna::avx2 {
namespace {
#include "linalg/svt_kernels_impl.hpp"
}

double threshold(double* x, std::ptrdiff_t left, std::ptrdiff_t size, std::ptrdiff_t right, double tau) {
  return threshold_any(x, left, size, right, tau);
}
double threshold(std::complex<double>* x, std::ptrdiff_t left, std::ptrdiff_t size, std::ptrdiff_t right,
                 double tau) {
  return threshold_any(x, left, size, right, tau);
}

}  // namespace lacuna::avx2
