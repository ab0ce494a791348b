// SPDX-License-Identifier: MIT
#include <lacuna/linalg/svt.hpp>

#include "base/machine.hpp"
#include "linalg/svt_kernels.hpp"

namespace lacuna {
namespace {

template <class MatrixType>
double threshold(MatrixType& x, double tau) {
  static const bool wide_vectors = machine_has_avx2();
  return wide_vectors ? avx2::threshold(x.data(), x.rows(), x.cols(), tau)
                      : baseline::threshold(x.data(), x.rows(), x.cols(), tau);
}

}  // namespace

double threshold_singular_values(Eigen::MatrixXd& x, double tau) { return threshold(x, tau); }
double threshold_singular_values(Eigen::MatrixXcd& x, double tau) { return threshold(x, tau); }

}  // namespace lacuna
