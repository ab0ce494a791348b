// SPDX-License-Identifier: MIT
// All Tucker tensors of given sizes and ranks, as the flat space of their cores and factors: what the
// manifolds of tensors of fixed multilinear rank share, and the space of methods without constraints.
//
// Representation  X = G x_1 U_1 ... x_K U_K, any core and factors
// Metric          <a, b> = <a_G, b_G> + s^2 sum_k <a_k, b_k>
//                 s is the norm of a typical tensor. This is the Euclidean metric of core and factors when
//                 values are measured in units of s, so results do not depend on the units of the data.
// Retraction      X + xi, core and factors each
#pragma once

#include <cmath>
#include <vector>

#include "linalg/decompose.hpp"
#include "linalg/tucker.hpp"
#include "manifold/manifold.hpp"

namespace lacuna {

class TuckerSpace {
 public:
  using Point = Tucker;
  using Tangent = Tucker;
  struct Frame {};

  // `scale` is s; 0 counts as 1.
  TuckerSpace(std::vector<Eigen::Index> sizes, std::vector<int> ranks, double scale = 1.0)
      : sizes_(std::move(sizes)), ranks_(std::move(ranks)), scale_(scale > 0.0 ? scale : 1.0) {}

  void frame(const Point&, Frame&) const {}
  [[nodiscard]] double inner(const Tangent& a, const Tangent& b) const {
    double sum = 0.0;
    for (int k = 0; k < order(); ++k) sum += a.factors[k].cwiseProduct(b.factors[k]).sum();
    return a.core.dot(b.core) + scale_ * scale_ * sum;
  }
  // From the derivatives with respect to core and factors.
  void gradient(const Point&, const Frame&, Tangent& v) const {
    for (Matrix<double>& factor : v.factors) factor /= scale_ * scale_;
  }
  void project(const Point&, const Frame&, Tangent&) const {}
  void retract(const Point& x, const Tangent& u, Point& out) const {
    out = x;
    axpy(1.0, u, out);
  }
  void zero(const Point&, Tangent& v) const {
    v.core.setZero(core_size(ranks_));
    v.factors.resize(sizes_.size());
    for (int k = 0; k < order(); ++k) v.factors[k].setZero(sizes_[k], ranks_[k]);
  }
  void axpy(double a, const Tangent& u, Tangent& v) const {
    v.core += a * u.core;
    for (int k = 0; k < order(); ++k) v.factors[k] += a * u.factors[k];
  }
  void scale(double a, Tangent& v) const {
    v.core *= a;
    for (int k = 0; k < order(); ++k) v.factors[k] *= a;
  }

  // Orthonormal factors, a core of independent normal numbers scaled to the norm s.
  void random_point(Rng& rng, Point& out) const {
    zero(out, out);
    for (Matrix<double>& factor : out.factors) {
      for (double& value : flat(factor)) value = rng.normal();
      factor = thin_qr(factor).q;
    }
    for (double& value : out.core) value = rng.normal();
    out.core *= scale_ / out.core.norm();
  }

  [[nodiscard]] double typical_distance() const { return scale_; }
  [[nodiscard]] double dimension() const {
    auto sum = static_cast<double>(core_size(ranks_));
    for (int k = 0; k < order(); ++k) sum += static_cast<double>(sizes_[k]) * ranks_[k];
    return sum;
  }
  [[nodiscard]] int order() const { return static_cast<int>(sizes_.size()); }
  [[nodiscard]] const std::vector<Eigen::Index>& sizes() const { return sizes_; }
  [[nodiscard]] const std::vector<int>& ranks() const { return ranks_; }

 private:
  std::vector<Eigen::Index> sizes_;
  std::vector<int> ranks_;
  double scale_;
};

static_assert(FirstOrderManifold<TuckerSpace>);

}  // namespace lacuna
