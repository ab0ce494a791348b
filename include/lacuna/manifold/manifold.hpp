// SPDX-License-Identifier: MIT
// What a solver asks of a manifold. Outputs are last and caller-owned.
//
// A Frame is what a manifold wants to know about a point once, instead of once per tangent vector (for the
// spectrahedron the eigendecomposition of U'U). Tangent vectors of quotient manifolds are horizontal lifts.
#pragma once

#include <concepts>
#include <lacuna/base/rng.hpp>

namespace lacuna {

template <class M>
concept RiemannianManifold = requires(const M& m, const typename M::Point& x, typename M::Point& y,
                                      const typename M::Frame& frame, typename M::Frame& new_frame,
                                      const typename M::Tangent& u, typename M::Tangent& v, double a,
                                      Rng& rng) {
  m.frame(x, new_frame);                             // what projections at x need
  { m.inner(u, u) } -> std::convertible_to<double>;  // the metric, which does not depend on the point
  m.project(x, frame, v);                            // v <- P_x v: tangent, and horizontal for a quotient
  m.retract(x, u, y);                                // y <- R_x(u)
  m.riemannian_hessian(x, frame, u, u, v);           // (x, frame, euclidean gradient, direction, v):
                                                     // v <- Hess[direction] from v = D grad [direction]
  m.zero(x, v);                                      // v <- 0
  m.axpy(a, u, v);                                   // v <- v + a u
  m.scale(a, v);                                     // v <- a v
  m.random_point(rng, y);
  { m.typical_distance() } -> std::convertible_to<double>;  // the size of a large step
  { m.dimension() } -> std::convertible_to<double>;
};

}  // namespace lacuna
