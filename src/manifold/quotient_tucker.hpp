// SPDX-License-Identifier: MIT
// Tensors of fixed multilinear rank as a quotient, with a metric that takes the least-squares cost into
// account.
//
// Representation  X = G x_1 U_1 ... x_K U_K with orthonormal factors
// Quotient        (U_k O_k, G x_k O_k') is the same tensor for all orthogonal O_k
// Metric          <xi_G, eta_G> + sum_k trace(xi_k' eta_k G_(k) G_(k)'), the block diagonal of the Hessian of
//                 1/2 ||X - A||^2: steps in this metric are preconditioned by it
// Tangent         U_k' xi_k is skew
//                 Psi(xi)_k   = xi_k - U_k S_k (G_(k) G_(k)')^-1,  S_k symmetric
// Vertical        vertical(O) = (U_k O_k, -sum_k G x_k O_k),       O_k skew
// Horizontal      Pi(xi)      = xi - vertical(O),  vertical* vertical O = vertical* xi, normal equations:
//                 K coupled Lyapunov equations, solved by preconditioned conjugate gradients
// Retraction      polar factor of U_k + xi_k; G + xi_G
// Transport       Pi(Psi(.)) at the new point
// Reference       Kasai & Mishra 2016, "Low-rank tensor completion: a Riemannian manifold preconditioning
//                 approach", section 3
// Breaks down     where some G_(k) does not have full row rank: the metric is only semi-definite there
// Cost            O(sum_k n_k r_k^2 + r^{K+1} for each step of the conjugate gradients)
#pragma once

#include <vector>

#include "manifold/tucker_space.hpp"

namespace lacuna {

class QuotientTucker : public TuckerSpace {
 public:
  struct Frame {
    std::vector<Eigen::MatrixXd> gram;          // G_(k) G_(k)'
    std::vector<Eigen::VectorXd> eigenvalues;   // of gram
    std::vector<Eigen::MatrixXd> eigenvectors;  // in columns
  };
  using TuckerSpace::TuckerSpace;

  void frame(const Point& x, Frame& frame) const;
  [[nodiscard]] double inner(const Point& x, const Frame& frame, const Tangent& a, const Tangent& b) const;
  void project(const Point& x, const Frame& frame, Tangent& v) const;
  // From the derivatives with respect to core and factors.
  void gradient(const Point& x, const Frame& frame, Tangent& v) const;
  void retract(const Point& x, const Tangent& u, Point& out) const;
  [[nodiscard]] double dimension() const;

  // The vertical vector of skew matrices, and its adjoint in the metric (which is skew, too).
  void vertical(const Point& x, const std::vector<Eigen::MatrixXd>& skew, Tangent& out) const;
  [[nodiscard]] std::vector<Eigen::MatrixXd> vertical_adjoint(const Point& x, const Frame& frame,
                                                              const Tangent& v) const;

 private:
  [[nodiscard]] std::vector<Eigen::MatrixXd> apply_normal(const Point& x, const Frame& frame,
                                                          const std::vector<Eigen::MatrixXd>& skew) const;
  void make_tangent(const Point& x, const Frame& frame, Tangent& v) const;
  void make_horizontal(const Point& x, const Frame& frame, Tangent& v) const;
};

static_assert(FirstOrderManifold<QuotientTucker>);

}  // namespace lacuna
