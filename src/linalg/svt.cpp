// SPDX-License-Identifier: MIT
#include "linalg/svt.hpp"

#include "base/machine.hpp"
#include "linalg/svt_kernels.hpp"

namespace lacuna {
namespace {

constexpr Eigen::Index kThinSlab = 16;  // rows below which many small products cost more than copying

template <class Scalar>
double threshold(Scalar* x, const ModeView& view, double tau) {
  static const bool wide_vectors = machine_has_avx2();
  return wide_vectors ? avx2::threshold(x, view.left, view.size, view.right, tau)
                      : baseline::threshold(x, view.left, view.size, view.right, tau);
}

template <class MatrixType>
double threshold_matrix(MatrixType& x, double tau) {
  return threshold(x.data(),
                   x.rows() <= x.cols() ? ModeView{.size = x.rows(), .right = x.cols()}
                                        : ModeView{.left = x.rows(), .size = x.cols()},
                   tau);
}

}  // namespace

double threshold_singular_values(Eigen::MatrixXd& x, double tau) { return threshold_matrix(x, tau); }
double threshold_singular_values(Eigen::MatrixXcd& x, double tau) { return threshold_matrix(x, tau); }

double threshold_unfolding(std::span<double> x, const Shape& shape, int mode, double tau) {
  const ModeView view = mode_view(shape, mode);
  if (view.size <= view.left * view.right && (view.left == 1 || view.left >= kThinSlab))
    return threshold(x.data(), view, tau);
  Eigen::MatrixXd unfolding = unfold(x, shape, mode);
  const double norm = threshold_matrix(unfolding, tau);
  fold(unfolding, shape, mode, x);
  return norm;
}

}  // namespace lacuna
