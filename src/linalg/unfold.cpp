// SPDX-License-Identifier: MIT
#include "linalg/unfold.hpp"

namespace lacuna {

Eigen::Index cell_count(const Shape& shape) {
  Eigen::Index cells = 1;
  for (const Eigen::Index size : shape) cells *= size;
  return cells;
}

ModeView mode_view(const Shape& shape, int mode) {
  ModeView view;
  for (int k = 0; k < static_cast<int>(shape.size()); ++k)
    (k < mode ? view.left : k > mode ? view.right : view.size) *= shape[k];
  return view;
}

Eigen::MatrixXd unfold(std::span<const double> x, const Shape& shape, int mode) {
  const ModeView view = mode_view(shape, mode);
  Eigen::MatrixXd unfolding(view.size, view.left * view.right);
  for (Eigen::Index r = 0; r < view.right; ++r)
    unfolding.middleCols(view.left * r, view.left) =
        Eigen::Map<const Eigen::MatrixXd>(x.data() + view.left * view.size * r, view.left, view.size)
            .transpose();
  return unfolding;
}

void fold(const Eigen::MatrixXd& unfolding, const Shape& shape, int mode, std::span<double> x) {
  const ModeView view = mode_view(shape, mode);
  for (Eigen::Index r = 0; r < view.right; ++r)
    Eigen::Map<Eigen::MatrixXd>(x.data() + view.left * view.size * r, view.left, view.size) =
        unfolding.middleCols(view.left * r, view.left).transpose();
}

}  // namespace lacuna
