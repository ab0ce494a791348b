// SPDX-License-Identifier: MIT
#include "linalg/svt.hpp"

#include "base/machine.hpp"
#include "linalg/svt_kernels.hpp"

namespace lacuna {
namespace {

constexpr Eigen::Index kThinSlab = 16;  // rows below which many small products cost more than copying

template <class Scalar>
double threshold(Scalar* x, const ModeView& view, double tau, Eigen::Index unshrunk) {
  static const bool wide_vectors = machine_has_avx2();
  return wide_vectors ? avx2::threshold(x, view.left, view.size, view.right, tau, unshrunk)
                      : baseline::threshold(x, view.left, view.size, view.right, tau, unshrunk);
}

template <class MatrixType>
double threshold_matrix(MatrixType& x, double tau, Eigen::Index unshrunk) {
  return threshold(x.data(),
                   x.rows() <= x.cols() ? ModeView{.size = x.rows(), .right = x.cols()}
                                        : ModeView{.left = x.rows(), .size = x.cols()},
                   tau, unshrunk);
}

}  // namespace

double threshold_singular_values(Eigen::MatrixXd& x, double tau, Eigen::Index unshrunk) {
  return threshold_matrix(x, tau, unshrunk);
}
double threshold_singular_values(Eigen::MatrixXcd& x, double tau, Eigen::Index unshrunk) {
  return threshold_matrix(x, tau, unshrunk);
}

double threshold_unfolding(std::span<double> x, const Shape& shape, int mode, double tau,
                           Eigen::Index unshrunk) {
  const ModeView view = mode_view(shape, mode);
  if (view.size <= view.left * view.right && (view.left == 1 || view.left >= kThinSlab))
    return threshold(x.data(), view, tau, unshrunk);
  Eigen::MatrixXd unfolding = unfold(x, shape, mode);
  const double norm = threshold_matrix(unfolding, tau, unshrunk);
  fold(unfolding, shape, mode, x);
  return norm;
}

}  // namespace lacuna
