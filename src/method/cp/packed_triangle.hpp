// SPDX-License-Identifier: MIT
// Symmetric matrices of which only the lower triangle is kept, row by row.
#pragma once

#include <Eigen/Core>

namespace lacuna {

// Numbers of a triangle.
[[nodiscard]] inline Eigen::Index packed(Eigen::Index rank) { return rank * (rank + 1) / 2; }

// No expressions: each coefficient would evaluate their products anew.
template <class Packed>
void pack(const Eigen::MatrixXd& square, Packed&& out) {
  Eigen::Index at = 0;
  for (Eigen::Index r = 0; r < square.rows(); ++r)
    for (Eigen::Index s = 0; s <= r; ++s) out(at++) = square(r, s);
}
template <class Packed>
void unpack(const Packed& triangle, Eigen::MatrixXd& square) {
  Eigen::Index at = 0;
  for (Eigen::Index r = 0; r < square.rows(); ++r)
    for (Eigen::Index s = 0; s <= r; ++s) square(r, s) = square(s, r) = triangle(at++);
}
// sum over the whole matrices of a(r, s) b(r, s)
template <class A, class B>
[[nodiscard]] double packed_inner(const A& a, const B& b, Eigen::Index rank) {
  double diagonal = 0.0;
  for (Eigen::Index r = 0; r < rank; ++r) diagonal += a(packed(r) + r) * b(packed(r) + r);
  return 2.0 * a.dot(b) - diagonal;
}

}  // namespace lacuna
