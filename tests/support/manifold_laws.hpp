// SPDX-License-Identifier: MIT
// The laws every manifold must obey, as one reusable check.
//
// Points and tangent vectors of all our manifolds are matrices or lists of them, so a random point serves as
// a random vector of the surrounding space.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <type_traits>
#include <variant>

#include "manifold/product.hpp"
#include "support/taylor.hpp"

namespace lacuna::test {

struct LawTolerances {
  double identity = 1e-13;  // identities between vectors of length about 1: a few dozen roundings
  TaylorOptions steps{};    // of the slope tests
};
// In single precision; steps must be longer for their squares to rise above rounding.
inline constexpr LawTolerances kLooseLaws{.identity = 2e-5,
                                          .steps = {.largest = 0.4, .steps = 4, .floor = 1e-6}};

template <RiemannianManifold M>
[[nodiscard]] double norm(const M& manifold, const typename M::Tangent& v) {
  return std::sqrt(manifold.inner(v, v));
}

template <RiemannianManifold M>
[[nodiscard]] double distance(const M& manifold, typename M::Tangent a, const typename M::Tangent& b) {
  manifold.axpy(-1.0, b, a);
  return norm(manifold, a);
}

template <RiemannianManifold M>
[[nodiscard]] typename M::Tangent random_ambient(const M& manifold, Rng& rng) {
  static_assert(std::is_same_v<typename M::Point, typename M::Tangent>);
  typename M::Tangent v;
  manifold.random_point(rng, v);
  return v;
}

template <RiemannianManifold M>
[[nodiscard]] typename M::Tangent projected(const M& manifold, const typename M::Point& x,
                                            typename M::Tangent v) {
  typename M::Frame frame;
  manifold.frame(x, frame);
  manifold.project(x, frame, v);
  return v;
}

// A random tangent vector of length 1.
template <RiemannianManifold M>
[[nodiscard]] typename M::Tangent random_tangent(const M& manifold, const typename M::Point& x, Rng& rng) {
  typename M::Tangent v = projected(manifold, x, random_ambient(manifold, rng));
  manifold.scale(1.0 / norm(manifold, v), v);
  return v;
}

// What it means to lie on the manifold, and to be tangent and horizontal, for each of ours.
template <class Real>
void expect_on(const Spectrahedron<Real>& manifold, const Matrix<Real>& u, double tolerance) {
  EXPECT_EQ(u.rows(), manifold.rows());
  EXPECT_EQ(u.cols(), manifold.columns());
  EXPECT_NEAR(u.template cast<double>().norm(), 1.0, tolerance);
}
template <class Real>
void expect_tangent(const Spectrahedron<Real>&, const Matrix<Real>& u, const Matrix<Real>& xi,
                    double tolerance) {
  ASSERT_TRUE(xi.allFinite());
  const Eigen::MatrixXd product = u.template cast<double>().transpose() * xi.template cast<double>();
  EXPECT_NEAR(product.trace(), 0.0, tolerance) << "not tangent";
  EXPECT_NEAR((product - product.transpose()).norm(), 0.0, tolerance) << "not horizontal";
}

template <class Real>
void expect_on(const Euclidean<Real>& manifold, const Matrix<Real>& x, double) {
  EXPECT_EQ(static_cast<double>(x.rows()), manifold.dimension());
  EXPECT_EQ(x.cols(), 1);
}
template <class Real>
void expect_tangent(const Euclidean<Real>&, const Matrix<Real>&, const Matrix<Real>& v, double) {
  EXPECT_TRUE(v.allFinite());
}

template <class Real>
void expect_on(const ProductManifold<Real>& manifold, const std::vector<Matrix<Real>>& x, double tolerance) {
  ASSERT_EQ(x.size(), manifold.factors());
  for (std::size_t f = 0; f < x.size(); ++f)
    std::visit([&](const auto& m) { expect_on(m, x[f], tolerance); }, manifold.factor(f));
}
template <class Real>
void expect_tangent(const ProductManifold<Real>& manifold, const std::vector<Matrix<Real>>& x,
                    const std::vector<Matrix<Real>>& v, double tolerance) {
  for (std::size_t f = 0; f < x.size(); ++f)
    std::visit([&](const auto& m) { expect_tangent(m, x[f], v[f], tolerance); }, manifold.factor(f));
}

template <RiemannianManifold M>
void check_vector_space(const M& manifold, const typename M::Point& x, Rng& rng, double tolerance) {
  const typename M::Tangent a = random_ambient(manifold, rng);
  const typename M::Tangent b = random_ambient(manifold, rng);
  typename M::Tangent zero;
  manifold.zero(x, zero);
  EXPECT_EQ(manifold.inner(zero, zero), 0.0);
  EXPECT_EQ(manifold.inner(a, zero), 0.0);
  EXPECT_NEAR(manifold.inner(a, b), manifold.inner(b, a), tolerance);
  EXPECT_GT(manifold.inner(a, a), 0.0);
  typename M::Tangent sum = b;  // b + 2.5 a, then times -3
  manifold.axpy(2.5, a, sum);
  EXPECT_NEAR(manifold.inner(sum, a), manifold.inner(b, a) + 2.5 * manifold.inner(a, a), 10 * tolerance);
  const double before = manifold.inner(sum, b);
  manifold.scale(-3.0, sum);
  EXPECT_NEAR(manifold.inner(sum, b), -3.0 * before, 10 * tolerance);
}

template <RiemannianManifold M>
void check_projection(const M& manifold, const typename M::Point& x, Rng& rng, double tolerance) {
  const typename M::Tangent a = random_ambient(manifold, rng);
  const typename M::Tangent b = random_ambient(manifold, rng);
  const typename M::Tangent once_a = projected(manifold, x, a);
  const typename M::Tangent once_b = projected(manifold, x, b);
  expect_tangent(manifold, x, once_a, tolerance);
  EXPECT_NEAR(distance(manifold, projected(manifold, x, once_a), once_a), 0.0, tolerance) << "not idempotent";
  EXPECT_NEAR(manifold.inner(once_a, b), manifold.inner(a, once_b), tolerance) << "not self-adjoint";
  EXPECT_LE(norm(manifold, once_a), norm(manifold, a) * (1 + tolerance));
  typename M::Tangent combined = a;
  manifold.axpy(-0.7, b, combined);
  combined = projected(manifold, x, combined);
  typename M::Tangent expected = once_a;
  manifold.axpy(-0.7, once_b, expected);
  EXPECT_NEAR(distance(manifold, combined, expected), 0.0, tolerance) << "not linear";
}

template <RiemannianManifold M>
void check_retraction(const M& manifold, const typename M::Point& x, Rng& rng,
                      const LawTolerances& tolerances) {
  typename M::Point y;
  typename M::Tangent step;
  manifold.zero(x, step);
  manifold.retract(x, step, y);
  EXPECT_NEAR(distance(manifold, y, x), 0.0, tolerances.identity) << "R(0) is not x";

  const typename M::Tangent direction = random_tangent(manifold, x, rng);
  const auto error = [&](double t) {  // ||R_x(t u) - x - t u||
    step = direction;
    manifold.scale(t, step);
    manifold.retract(x, step, y);
    expect_on(manifold, y, tolerances.identity);
    manifold.axpy(1.0, x, step);
    return distance(manifold, y, step);
  };
  if (error(tolerances.steps.largest) <= tolerances.identity) {  // a flat manifold: exact at any length
    EXPECT_LE(error(1.0), tolerances.identity);
    return;
  }
  EXPECT_NEAR(taylor_slope(error, tolerances.steps), 2.0, 0.1);
}

template <RiemannianManifold M>
void check_manifold_laws(const M& manifold, const typename M::Point& x, Rng& rng,
                         const LawTolerances& tolerances = {}) {
  expect_on(manifold, x, tolerances.identity);
  EXPECT_GT(manifold.typical_distance(), 0.0);
  EXPECT_GT(manifold.dimension(), 0.0);
  check_vector_space(manifold, x, rng, tolerances.identity);
  check_projection(manifold, x, rng, tolerances.identity);
  check_retraction(manifold, x, rng, tolerances);
}

}  // namespace lacuna::test
