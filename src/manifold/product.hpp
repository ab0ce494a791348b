// SPDX-License-Identifier: MIT
// A product of spectrahedra and Euclidean spaces whose number is known only when data is read. Points and
// tangent vectors are lists with one matrix for each factor; everything is done factor by factor.
//
// Processes that share a fit have all of every spectrahedron's point and compute with it alike, but for the last bits
// where their processors differ. What a solver decides by, inner products, and the points that it goes to are those
// of the first process.
#pragma once

#include <cmath>
#include <span>
#include <variant>
#include <vector>

#include "dist/communicator.hpp"
#include "manifold/euclidean.hpp"
#include "manifold/spectrahedron.hpp"

namespace lacuna {

template <class Real>
class ProductManifold {
 public:
  using Factor = std::variant<Spectrahedron<Real>, Euclidean<Real>>;
  using Point = std::vector<Matrix<Real>>;
  using Tangent = std::vector<Matrix<Real>>;
  using Frame = std::vector<typename Spectrahedron<Real>::Frame>;  // unused for Euclidean factors

  explicit ProductManifold(std::vector<Factor> factors, const Communicator& everyone = serial_communicator())
      : factors_(std::move(factors)), everyone_(&everyone) {}

  void frame(const Point& x, Frame& frame) const {
    frame.resize(factors_.size());
    for (std::size_t f = 0; f < factors_.size(); ++f)
      if (const auto* spectrahedron = std::get_if<Spectrahedron<Real>>(&factors_[f]))
        spectrahedron->frame(x[f], frame[f]);
  }

  [[nodiscard]] double inner(const Tangent& a, const Tangent& b) const {
    double sum = 0.0;
    each([&](const auto& m, std::size_t f) { sum += m.inner(a[f], b[f]); });
    return everyone_->as_first(sum);
  }
  // v <- v - sum_i <q_i, v> q_i: all inner products in two messages.
  void take_off(std::span<const Tangent> directions, Tangent& v) const {
    std::vector<double> alike(directions.size(), 0.0);
    std::vector<double> spread(directions.size(), 0.0);  // over processes
    for (std::size_t f = 0; f < factors_.size(); ++f) {
      std::vector<double>& sums = std::holds_alternative<Spectrahedron<Real>>(factors_[f]) ? alike : spread;
      for (std::size_t i = 0; i < directions.size(); ++i)
        sums[i] += dot<Real>(serial_communicator(), flat(directions[i][f]), flat(v[f]));
    }
    everyone_->sum(spread);
    for (std::size_t i = 0; i < directions.size(); ++i) alike[i] += spread[i];
    everyone_->as_first(std::span<double>(alike));
    for (std::size_t i = 0; i < directions.size(); ++i) axpy(-alike[i], directions[i], v);
  }
  void project(const Point& x, const Frame& frame, Tangent& v) const {
    each([&](const auto& m, std::size_t f) { m.project(x[f], frame_of(m, frame[f]), v[f]); });
  }
  void retract(const Point& x, const Tangent& u, Point& out) const {
    out.resize(factors_.size());
    each([&](const auto& m, std::size_t f) { m.retract(x[f], u[f], out[f]); });
    agree(out);
  }
  // x <- the first process's, but for what is spread over processes.
  void agree(Point& x) const {
    for (std::size_t f = 0; f < factors_.size(); ++f)
      if (std::holds_alternative<Spectrahedron<Real>>(factors_[f])) everyone_->as_first(flat(x[f]));
  }
  void riemannian_hessian(const Point& x, const Frame& frame, const Tangent& euclidean_gradient,
                          const Tangent& u, Tangent& v) const {
    each([&](const auto& m, std::size_t f) {
      m.riemannian_hessian(x[f], frame_of(m, frame[f]), euclidean_gradient[f], u[f], v[f]);
    });
  }
  void zero(const Point& x, Tangent& v) const {
    v.resize(factors_.size());
    each([&](const auto& m, std::size_t f) { m.zero(x[f], v[f]); });
  }
  void axpy(double a, const Tangent& u, Tangent& v) const {
    each([&](const auto& m, std::size_t f) { m.axpy(a, u[f], v[f]); });
  }
  void scale(double a, Tangent& v) const {
    each([&](const auto& m, std::size_t f) { m.scale(a, v[f]); });
  }
  void random_point(Rng& rng, Point& out) const {
    out.resize(factors_.size());
    each([&](const auto& m, std::size_t f) { m.random_point(rng, out[f]); });
  }
  [[nodiscard]] double typical_distance() const {
    double squares = 0.0;
    each([&](const auto& m, std::size_t) { squares += m.typical_distance() * m.typical_distance(); });
    return std::sqrt(squares);
  }
  [[nodiscard]] double dimension() const {
    double sum = 0.0;
    each([&](const auto& m, std::size_t) { sum += m.dimension(); });
    return sum;
  }
  [[nodiscard]] std::size_t factors() const { return factors_.size(); }
  [[nodiscard]] const Factor& factor(std::size_t f) const { return factors_[f]; }

 private:
  template <class Body>
  void each(Body&& body) const {
    for (std::size_t f = 0; f < factors_.size(); ++f)
      std::visit([&](const auto& m) { body(m, f); }, factors_[f]);
  }
  static const auto& frame_of(const Spectrahedron<Real>&, const typename Spectrahedron<Real>::Frame& frame) {
    return frame;
  }
  static typename Euclidean<Real>::Frame frame_of(const Euclidean<Real>&,
                                                  const typename Spectrahedron<Real>::Frame&) {
    return {};
  }

  std::vector<Factor> factors_;
  const Communicator* everyone_;
};

static_assert(RiemannianManifold<ProductManifold<double>>);
static_assert(RiemannianManifold<ProductManifold<float>>);

}  // namespace lacuna
