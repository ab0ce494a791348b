// SPDX-License-Identifier: MIT
// The dense matrices of the library: tall and narrow (n_k x r_k), one row per index of a mode, rows
// contiguous.
#pragma once

#include <Eigen/Core>
#include <span>

namespace lacuna {

template <class Real>
using Matrix = Eigen::Matrix<Real, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

template <class Real>
[[nodiscard]] std::span<Real> flat(Matrix<Real>& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}
template <class Real>
[[nodiscard]] std::span<const Real> flat(const Matrix<Real>& matrix) {
  return {matrix.data(), static_cast<std::size_t>(matrix.size())};
}

}  // namespace lacuna
