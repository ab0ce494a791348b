// SPDX-License-Identifier: MIT
// A tensor in Tucker form,
//
//   X                   = G x_1 U_1 x_2 ... x_K U_K
//   X(i_1, ..., i_K)    = sum_{j_1 ... j_K} G(j_1, ..., j_K) U_1(i_1, j_1) ... U_K(i_K, j_K)
//
// with a small core G of r_1 x ... x r_K, first index fastest, and a factor U_k of n_k x r_k for each mode.
// Derivatives with respect to core and factors have the same shape, so tangent vectors are of this type, too.
// G_(k) is the unfolding of G with mode k in rows.
#pragma once

#include <Eigen/Core>
#include <span>
#include <vector>

#include "base/rng.hpp"
#include "linalg/matrix.hpp"

namespace lacuna {

struct Tucker {
  Eigen::VectorXd core;
  std::vector<Matrix<double>> factors;

  [[nodiscard]] int order() const { return static_cast<int>(factors.size()); }
  [[nodiscard]] int rank(int mode) const { return static_cast<int>(factors[mode].cols()); }
  [[nodiscard]] std::vector<int> ranks() const;

  template <class A>
  void fields(A& archive) {
    archive("core", core);
    archive("factors", factors);
  }
};

[[nodiscard]] Eigen::Index core_size(const std::vector<int>& ranks);

// core x_mode by: mode `mode` of a core of these ranks, contracted with the columns of `by`.
[[nodiscard]] Eigen::VectorXd mode_product(const Eigen::VectorXd& core, const std::vector<int>& ranks,
                                           int mode, const Eigen::MatrixXd& by);

// The same tensor with the modes in another order: mode k is modes[k] of x.
[[nodiscard]] Tucker reordered(const Tucker& x, std::span<const int> modes);

// A_(k) B_(k)', for cores that agree in all other modes.
[[nodiscard]] Eigen::MatrixXd unfolding_product(const Eigen::VectorXd& a, const std::vector<int>& a_ranks,
                                                const Eigen::VectorXd& b, const std::vector<int>& b_ranks,
                                                int mode);

// The same tensor with orthonormal factors.
[[nodiscard]] Tucker orthonormalized(const Tucker& x);

// The tensor's best-known approximation of smaller multilinear rank: factors are the leading left singular
// vectors of each unfolding (truncated HOSVD, De Lathauwer, De Moor, Vandewalle 2000). Factors orthonormal.
[[nodiscard]] Tucker truncated_hosvd(const Tucker& x, const std::vector<int>& ranks);

}  // namespace lacuna
