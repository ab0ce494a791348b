// SPDX-License-Identifier: MIT
// The spectrahedron: Theta = U U' positive semi-definite, of trace 1 and rank at most r.
//
// Representation  U in R^{n x r} with ||U||_F = 1
// Quotient        U and U Q are the same point for every orthogonal Q
// Metric          trace(xi' eta)
// Horizontal      trace(xi' U) = 0 and U' xi symmetric
// Projections     Psi(Z) = Z - trace(Z'U) U         on the tangent space of the sphere
//                 Pi(xi) = xi - U L                 on the horizontal space,
//                          (U'U) L + L (U'U) = U'xi - xi'U
// Retraction      (U + xi) / ||U + xi||_F
// Reference       appendix A of "A dual framework for low-rank tensor completion" (NeurIPS 2018);
//                 Journee, Bach, Absil, Sepulchre 2010
// Breaks down     where U'U is singular the Lyapunov solution L is not unique; it is taken zero on the null
//                 pairs of eigenvectors, which leaves Pi an orthogonal projection
// Cost            O(n r^2) a projection, O(r^3) once a point
#pragma once

#include <cmath>

#include "dist/communicator.hpp"
#include "linalg/decompose.hpp"
#include "linalg/matrix.hpp"
#include "manifold/manifold.hpp"

namespace lacuna {

template <class Real>
class Spectrahedron {
 public:
  using Point = Matrix<Real>;
  using Tangent = Matrix<Real>;
  struct Frame {
    SymmetricEigen gram;  // U'U = Q diag(d) Q'
    // What project() computes in, so that it allocates nothing: a frame is used by one thread at a time.
    struct Scratch {
      Matrix<Real> product;      // U'xi
      Eigen::MatrixXd skew;      // U'xi - xi'U
      Eigen::MatrixXd left;      // Q' skew, then Q (Q'LQ)
      Eigen::MatrixXd rotated;   // Q' skew Q, then Q'LQ
      Eigen::MatrixXd solution;  // L
      Matrix<Real> narrow;       // L in the precision of U
    };
    mutable Scratch scratch;
  };

  Spectrahedron(Eigen::Index rows, Eigen::Index columns) : rows_(rows), columns_(columns) {}

  void frame(const Point& u, Frame& frame) const {
    frame.gram = symmetric_eigen((u.transpose() * u).template cast<double>());
  }

  // Factors are the same on every process, so this sum needs no communicator.
  [[nodiscard]] double inner(const Tangent& a, const Tangent& b) const {
    return dot<Real>(serial_communicator(), flat(a), flat(b));
  }

  void project(const Point& u, const Frame& frame, Tangent& xi) const {
    xi.noalias() -= static_cast<Real>(inner(xi, u)) * u;
    // Lyapunov in the eigenbasis of U'U: L_ij = (Q'(U'xi - xi'U)Q)_ij / (d_i + d_j)
    auto& [product, skew, left, rotated, solution, narrow] = frame.scratch;
    const auto& [d, q] = frame.gram;
    product.noalias() = u.transpose() * xi;
    skew = product.template cast<double>() - product.transpose().template cast<double>();
    left.noalias() = q.transpose() * skew;
    rotated.noalias() = left * q;
    const double smallest = kNullRelative * d(columns_ - 1);
    for (Eigen::Index i = 0; i < columns_; ++i)
      for (Eigen::Index j = 0; j < columns_; ++j) {
        const double sum = d(i) + d(j);
        rotated(i, j) = sum > smallest ? rotated(i, j) / sum : 0.0;
      }
    left.noalias() = q * rotated;
    solution.noalias() = left * q.transpose();
    narrow = solution.template cast<Real>();
    xi.noalias() -= u * narrow;
  }

  void retract(const Point& u, const Tangent& xi, Point& out) const {
    out = u + xi;
    normalize(out);
  }

  // v = D grad f [xi] on entry; the sphere's curvature adds -trace(grad f' U) xi. What remains of the formula
  // in the paper's (A8) is normal or vertical and disappears in the projection.
  void riemannian_hessian(const Point& u, const Frame& point, const Tangent& euclidean_gradient,
                          const Tangent& xi, Tangent& v) const {
    v.noalias() -= static_cast<Real>(inner(euclidean_gradient, u)) * xi;
    project(u, point, v);
  }

  void zero(const Point&, Tangent& v) const { v.setZero(rows_, columns_); }
  void axpy(double a, const Tangent& u, Tangent& v) const { v.noalias() += static_cast<Real>(a) * u; }
  void scale(double a, Tangent& v) const { v *= static_cast<Real>(a); }

  void random_point(Rng& rng, Point& out) const {
    out.resize(rows_, columns_);
    for (Real& value : flat(out)) value = static_cast<Real>(rng.normal());
    normalize(out);
  }

  void normalize(Point& u) const { u /= static_cast<Real>(std::sqrt(inner(u, u))); }

  [[nodiscard]] double typical_distance() const { return std::numbers::pi / 2; }
  [[nodiscard]] double dimension() const {
    const auto n = static_cast<double>(rows_);
    const auto r = static_cast<double>(columns_);
    return n * r - 1 - r * (r - 1) / 2;
  }
  [[nodiscard]] Eigen::Index rows() const { return rows_; }
  [[nodiscard]] Eigen::Index columns() const { return columns_; }

 private:
  static constexpr double kNullRelative = 1e-12;  // eigenvalue pairs below this share of the largest are null

  Eigen::Index rows_;
  Eigen::Index columns_;
};

static_assert(RiemannianManifold<Spectrahedron<double>>);
static_assert(RiemannianManifold<Spectrahedron<float>>);

}  // namespace lacuna
