// SPDX-License-Identifier: MIT
// A tensor in Tucker form,
//
//   X = G x_1 U_1 x_2 ... x_K U_K,   X(i_1..i_K) = sum_{j_1..j_K} G(j_1..j_K) U_1(i_1, j_1) ... U_K(i_K,
//   j_K),
//
// with a small core G of r_1 x ... x r_K, first index fastest, and a factor U_k of n_k x r_k for each mode.
// Its derivatives have the same shape, so tangent vectors are of this type, too.
#pragma once

#include <Eigen/Core>
#include <lacuna/linalg/matrix.hpp>
#include <vector>

namespace lacuna {

struct Tucker {
  Eigen::VectorXd core;
  std::vector<Matrix<double>> factors;

  [[nodiscard]] int order() const { return static_cast<int>(factors.size()); }
  [[nodiscard]] int rank(int mode) const { return static_cast<int>(factors[mode].cols()); }
};

}  // namespace lacuna
