// SPDX-License-Identifier: MIT
#include "manifold/quotient_tucker.hpp"

#include "linalg/decompose.hpp"

namespace lacuna {
namespace {

using SkewList = std::vector<Eigen::MatrixXd>;

constexpr double kSolved = 1e-12;        // residual of the coupled Lyapunov equations, relative
constexpr double kNullRelative = 1e-14;  // eigenvalues of a Gram matrix below this share of the largest are 0

Eigen::MatrixXd skew_part(const Eigen::MatrixXd& a) { return 0.5 * (a - a.transpose()); }

double dot(const SkewList& a, const SkewList& b) {
  double sum = 0.0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k].cwiseProduct(b[k]).sum();
  return sum;
}

void add_scaled(double a, const SkewList& x, SkewList& y) {
  for (std::size_t k = 0; k < x.size(); ++k) y[k] += a * x[k];
}

// The inverse of O -> skew(2 O gram) / 2, the block diagonal of vertical* vertical, in the eigenbasis of
// gram.
SkewList precondition(const QuotientTucker::Frame& frame, const SkewList& r) {
  SkewList s = r;
  for (std::size_t k = 0; k < r.size(); ++k) {
    const Eigen::MatrixXd& q = frame.eigenvectors[k];
    const Eigen::VectorXd& d = frame.eigenvalues[k];
    const double smallest = kNullRelative * d(d.size() - 1);
    s[k] = q.transpose() * r[k] * q;
    for (Eigen::Index i = 0; i < d.size(); ++i)
      for (Eigen::Index j = 0; j < d.size(); ++j) s[k](i, j) /= std::max(d(i) + d(j), smallest);
    s[k] = skew_part(q * s[k] * q.transpose());
  }
  return s;
}

}  // namespace

void QuotientTucker::frame(const Point& x, Frame& frame) const {
  frame = {};
  for (int k = 0; k < order(); ++k) {
    frame.gram.push_back(unfolding_product(x.core, ranks(), x.core, ranks(), k));
    SymmetricEigen eigen = symmetric_eigen(frame.gram.back());
    frame.eigenvalues.emplace_back(eigen.values.cwiseMax(0.0));
    frame.eigenvectors.push_back(std::move(eigen.vectors));
  }
}

double QuotientTucker::inner(const Point&, const Frame& frame, const Tangent& a, const Tangent& b) const {
  double sum = a.core.dot(b.core);
  for (int k = 0; k < order(); ++k)
    sum += (a.factors[k].transpose() * b.factors[k]).cwiseProduct(frame.gram[k]).sum();
  return sum;
}

// v <- v - U S gram^-1 with S symmetric from
//
//   S gram + gram S = gram (U'v + v'U) gram
//
// In the eigenbasis of gram = Q diag(d) Q':
//
//   (S gram^-1)_ij = (U'v + v'U)_ij d_i / (d_i + d_j)
void QuotientTucker::make_tangent(const Point& x, const Frame& frame, Tangent& v) const {
  for (int k = 0; k < order(); ++k) {
    const Eigen::MatrixXd& q = frame.eigenvectors[k];
    const Eigen::VectorXd& d = frame.eigenvalues[k];
    const Eigen::MatrixXd product = x.factors[k].transpose() * v.factors[k];
    Eigen::MatrixXd correction = q.transpose() * (product + product.transpose()) * q;
    for (Eigen::Index i = 0; i < d.size(); ++i)
      for (Eigen::Index j = 0; j < d.size(); ++j) {
        const double sum = d(i) + d(j);
        correction(i, j) *= sum > 0.0 ? d(i) / sum : 0.5;
      }
    v.factors[k] -= x.factors[k] * (q * correction * q.transpose());
  }
}

void QuotientTucker::vertical(const Point& x, const SkewList& skew, Tangent& out) const {
  zero(x, out);
  for (int k = 0; k < order(); ++k) {
    out.factors[k] = x.factors[k] * skew[k];
    out.core -= mode_product(x.core, ranks(), k, skew[k]);
  }
}

SkewList QuotientTucker::vertical_adjoint(const Point& x, const Frame& frame, const Tangent& v) const {
  SkewList skew;
  for (int k = 0; k < order(); ++k)
    skew.push_back(skew_part(x.factors[k].transpose() * v.factors[k] * frame.gram[k] -
                             unfolding_product(v.core, ranks(), x.core, ranks(), k)));
  return skew;
}

// vertical* vertical O: skew(O_k gram_k + (sum_l G x_l O_l)_(k) G_(k)'), as U_k'U_k = I
SkewList QuotientTucker::apply_normal(const Point& x, const Frame& frame, const SkewList& skew) const {
  Eigen::VectorXd core = Eigen::VectorXd::Zero(x.core.size());
  for (int k = 0; k < order(); ++k) core += mode_product(x.core, ranks(), k, skew[k]);
  SkewList applied;
  for (int k = 0; k < order(); ++k)
    applied.push_back(
        skew_part(skew[k] * frame.gram[k] + unfolding_product(core, ranks(), x.core, ranks(), k)));
  return applied;
}

void QuotientTucker::make_horizontal(const Point& x, const Frame& frame, Tangent& v) const {
  SkewList residual = vertical_adjoint(x, frame, v);
  const double enough = kSolved * std::sqrt(inner(x, frame, v, v) * frame.gram[0].trace());
  SkewList solution = residual;
  for (Eigen::MatrixXd& matrix : solution) matrix.setZero();
  SkewList direction = precondition(frame, residual);
  double product = dot(residual, direction);
  int unknowns = 0;
  for (const int rank : ranks()) unknowns += rank * (rank - 1) / 2;
  for (int step = 0; step < 2 * unknowns && dot(residual, residual) > enough * enough; ++step) {
    const SkewList applied = apply_normal(x, frame, direction);
    const double curvature = dot(direction, applied);
    if (!(curvature > 0.0)) break;  // a core of less than full rank
    add_scaled(product / curvature, direction, solution);
    add_scaled(-product / curvature, applied, residual);
    SkewList next = precondition(frame, residual);
    const double next_product = dot(residual, next);
    add_scaled(next_product / product, direction, next);
    direction = std::move(next);
    product = next_product;
  }
  Tangent image;
  vertical(x, solution, image);
  axpy(-1.0, image, v);
}

void QuotientTucker::project(const Point& x, const Frame& frame, Tangent& v) const {
  make_tangent(x, frame, v);
  make_horizontal(x, frame, v);
}

// The cost does not change along the fibers, so its gradient is horizontal once it is tangent.
void QuotientTucker::gradient(const Point& x, const Frame& frame, Tangent& v) const {
  for (int k = 0; k < order(); ++k) {
    const Eigen::VectorXd& d = frame.eigenvalues[k];
    const double smallest = kNullRelative * d(d.size() - 1);
    const Eigen::VectorXd inverse = (d.array() > smallest).select(d.cwiseInverse(), 0.0);
    v.factors[k] =
        v.factors[k] * (frame.eigenvectors[k] * inverse.asDiagonal() * frame.eigenvectors[k].transpose());
  }
  make_tangent(x, frame, v);
}

void QuotientTucker::retract(const Point& x, const Tangent& u, Point& out) const {
  out.core = x.core + u.core;
  out.factors.resize(x.factors.size());
  for (int k = 0; k < order(); ++k) {
    const ThinQr basis = thin_qr(x.factors[k] + u.factors[k]);
    const ThinSvd polar = thin_svd(basis.r);
    out.factors[k] = basis.q * (polar.u * polar.v.transpose());
  }
}

double QuotientTucker::dimension() const {
  double sum = TuckerSpace::dimension();
  for (const int rank : ranks()) sum -= static_cast<double>(rank) * rank;
  return sum;
}

}  // namespace lacuna
