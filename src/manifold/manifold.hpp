// SPDX-License-Identifier: MIT
// What a solver asks of a manifold. Outputs are last and caller-owned.
//
// A Frame holds what depends on the point alone and is computed once per point instead of once per tangent
// vector (for the spectrahedron the eigendecomposition of U'U). Tangent vectors of quotient manifolds are
// horizontal lifts.
//
// By default the metric does not depend on the point, the gradient is the projection of the Euclidean one,
// and a tangent vector is transported by projecting it at the new point. A manifold for which one of these
// does not hold has a member instead: inner(x, frame, u, v), gradient(x, frame, v),
// transport(from, to, to_frame, v). The functions below call the member where there is one.
#pragma once

#include <concepts>

#include "base/rng.hpp"

namespace lacuna {

// <u, v>_x
template <class M>
[[nodiscard]] double inner_at(const M& m, const typename M::Point& x, const typename M::Frame& frame,
                              const typename M::Tangent& u, const typename M::Tangent& v) {
  if constexpr (requires { m.inner(x, frame, u, v); })
    return m.inner(x, frame, u, v);
  else
    return m.inner(u, v);
}

// v <- the Riemannian gradient, from v = the Euclidean one
template <class M>
void to_gradient(const M& m, const typename M::Point& x, const typename M::Frame& frame,
                 typename M::Tangent& v) {
  if constexpr (requires { m.gradient(x, frame, v); })
    m.gradient(x, frame, v);
  else
    m.project(x, frame, v);
}

// v, tangent at `from`, <- a tangent vector at `to` that is close to it
template <class M>
void transport(const M& m, const typename M::Point& from, const typename M::Point& to,
               const typename M::Frame& to_frame, typename M::Tangent& v) {
  if constexpr (requires { m.transport(from, to, to_frame, v); })
    m.transport(from, to, to_frame, v);
  else
    m.project(to, to_frame, v);
}

// What first-order solvers need.
template <class M>
concept FirstOrderManifold = requires(const M& m, const typename M::Point& x, typename M::Point& y,
                                      const typename M::Frame& frame, typename M::Frame& new_frame,
                                      const typename M::Tangent& u, typename M::Tangent& v, double a,
                                      Rng& rng) {
  m.frame(x, new_frame);  // what projections at x need
  { inner_at(m, x, frame, u, u) } -> std::convertible_to<double>;
  m.project(x, frame, v);  // v <- P_x v: tangent, and horizontal for a quotient
  m.retract(x, u, y);      // y <- R_x(u)
  m.zero(x, v);            // v <- 0
  m.axpy(a, u, v);         // v <- v + a u
  m.scale(a, v);           // v <- a v
  m.random_point(rng, y);
  { m.typical_distance() } -> std::convertible_to<double>;  // the size of a large step
  { m.dimension() } -> std::convertible_to<double>;
};

// What second-order solvers need: a metric that does not depend on the point, and Hessians.
template <class M>
concept RiemannianManifold = FirstOrderManifold<M> &&
    requires(const M& m, const typename M::Point& x, const typename M::Frame& frame,
             const typename M::Tangent& u, typename M::Tangent& v) {
  { m.inner(u, u) } -> std::convertible_to<double>;
  m.riemannian_hessian(x, frame, u, u, v);  // (x, frame, euclidean gradient, direction, v):
                                            // v <- Hess[direction] from v = D grad [direction]
};

}  // namespace lacuna
