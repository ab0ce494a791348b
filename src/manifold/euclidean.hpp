// SPDX-License-Identifier: MIT
// Euclidean space R^size, as a matrix of one column: the space of Z in problem P. Its entries may be spread
// over processes, so its inner product goes through the communicator.
#pragma once

#include <cmath>

#include "dist/communicator.hpp"
#include "linalg/matrix.hpp"
#include "manifold/manifold.hpp"

namespace lacuna {

template <class Real>
class Euclidean {
 public:
  using Point = Matrix<Real>;
  using Tangent = Matrix<Real>;
  struct Frame {};

  // `scale` is the length of a typical vector.
  explicit Euclidean(Eigen::Index size, double scale = 1.0,
                     const Communicator& everyone = serial_communicator())
      : size_(size),
        dimension_(everyone.sum(static_cast<double>(size))),
        scale_(scale),
        everyone_(&everyone) {}

  void frame(const Point&, Frame&) const {}
  [[nodiscard]] double inner(const Tangent& a, const Tangent& b) const {
    return dot<Real>(*everyone_, flat(a), flat(b));
  }
  void project(const Point&, const Frame&, Tangent&) const {}
  void retract(const Point& x, const Tangent& u, Point& out) const { out = x + u; }
  void riemannian_hessian(const Point&, const Frame&, const Tangent&, const Tangent&, Tangent&) const {}
  void zero(const Point&, Tangent& v) const { v.setZero(size_, 1); }
  void axpy(double a, const Tangent& u, Tangent& v) const { v.noalias() += static_cast<Real>(a) * u; }
  void scale(double a, Tangent& v) const { v *= static_cast<Real>(a); }

  void random_point(Rng& rng, Point& out) const {
    out.resize(size_, 1);
    const double deviation = scale_ / std::sqrt(static_cast<double>(size_));
    for (Real& value : flat(out)) value = static_cast<Real>(deviation * rng.normal());
  }

  [[nodiscard]] double typical_distance() const { return scale_; }
  [[nodiscard]] double dimension() const { return dimension_; }

 private:
  Eigen::Index size_;  // on this process
  double dimension_;   // on all
  double scale_;
  const Communicator* everyone_;
};

static_assert(RiemannianManifold<Euclidean<double>>);

}  // namespace lacuna
