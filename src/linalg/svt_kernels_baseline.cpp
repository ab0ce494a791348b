// SPDX-License-Identifier: MIT
// Singular value thresholding for the compiler's default instruction set.
#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>

#include "linalg/svt_kernels.hpp"

namespace lacuna::baseline {
namespace {
#include "linalg/svt_kernels_impl.hpp"
}

double threshold(double* x, std::ptrdiff_t rows, std::ptrdiff_t columns, double tau) {
  return threshold_any(x, rows, columns, tau);
}
double threshold(std::complex<double>* x, std::ptrdiff_t rows, std::ptrdiff_t columns, double tau) {
  return threshold_any(x, rows, columns, tau);
}

}  // namespace lacuna::baseline
