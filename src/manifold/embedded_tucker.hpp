// SPDX-License-Identifier: MIT
// Tensors of fixed multilinear rank (r_1, ..., r_K), as a submanifold of the space of all tensors.
//
// Representation  X = G x_1 U_1 ... x_K U_K with orthonormal factors
// Tangent vector  H x_1 U_1 ... x_K U_K + sum_k G x_k V_k x_{l != k} U_l with V_k'U_k = 0, stored as (H, V)
// Metric          that of the tensors: <H, H'> + sum_k <V_k G_(k), V'_k G_(k)>
// Projection      of a tensor A:  H   = A x_1 U_1' ... x_K U_K'
//                                 V_k = (I - U_k U_k') [A x_{l != k} U_l']_(k) G_(k)^+
// Retraction      truncated HOSVD of X + xi, which has rank 2 r and factors [U_k V_k]
// Transport       orthogonal projection of the tensor on the new tangent space
// Reference       Kressner, Steinlechner, Vandereycken 2014, "Low-rank tensor completion by Riemannian
//                 optimization", sections 2 and 3; Koch & Lubich 2010
// Breaks down     where some G_(k) does not have full row rank; its pseudo-inverse leaves V_k zero on the
//                 null space
// Cost            O(sum_k n_k r_k^2 + r^{K+1}) an operation, (2r)^{K+1} a retraction
#pragma once

#include <vector>

#include "manifold/tucker_space.hpp"

namespace lacuna {

class EmbeddedTucker : public TuckerSpace {
 public:
  struct Frame {
    std::vector<Eigen::MatrixXd> gram;     // G_(k) G_(k)'
    std::vector<Eigen::MatrixXd> inverse;  // its pseudo-inverse
  };
  using TuckerSpace::TuckerSpace;

  void frame(const Point& x, Frame& frame) const;
  [[nodiscard]] double inner(const Point& x, const Frame& frame, const Tangent& a, const Tangent& b) const;
  // Gauges: from any (H, V) to the one with V_k'U_k = 0 that is the same tensor.
  void project(const Point& x, const Frame& frame, Tangent& v) const;
  // From the derivatives with respect to core and factors.
  void gradient(const Point& x, const Frame& frame, Tangent& v) const;
  void transport(const Point& from, const Point& to, const Frame& to_frame, Tangent& v) const;
  void retract(const Point& x, const Tangent& u, Point& out) const;
  [[nodiscard]] double dimension() const;
};

static_assert(FirstOrderManifold<EmbeddedTucker>);

}  // namespace lacuna
