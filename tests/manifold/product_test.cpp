// SPDX-License-Identifier: MIT
// Euclidean space and products: the same laws, factor by factor.
#include "manifold/product.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "support/manifold_laws.hpp"
#include "support/objective_laws.hpp"
#include "support/objectives.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

template <class Real>
ProductManifold<Real> small_product() {
  return ProductManifold<Real>({Spectrahedron<Real>(8, 3), Spectrahedron<Real>(5, 1),
                                Euclidean<Real>(11, 2.0), Spectrahedron<Real>(7, 2)});
}

TEST(Euclidean, ObeysTheLaws) {
  Rng rng(110);
  for (const int size : {1, 9, 100}) {
    const Euclidean<double> manifold(size);
    test::check_manifold_laws(manifold, test::random_ambient(manifold, rng), rng);
    const Euclidean<float> single(size);
    test::check_manifold_laws(single, test::random_ambient(single, rng), rng, test::kLooseLaws);
  }
}

TEST(Euclidean, RandomPointsHaveTheScaleAskedFor) {
  Rng rng(111);
  const Euclidean<double> manifold(10000, 7.0);
  EXPECT_EQ(manifold.typical_distance(), 7.0);
  EXPECT_NEAR(test::random_ambient(manifold, rng).norm(), 7.0,
              5 * 7.0 / std::sqrt(2.0 * 10000));  // five deviations
}

TEST(Euclidean, DerivativesAreTheEuclideanOnes) {
  Rng rng(112);
  const Euclidean<double> plane(2);
  test::Rosenbrock objective;
  const Matrix<double> x{{-0.7}, {0.4}};
  test::check_objective_laws(plane, objective, x, rng);
}

TEST(ProductManifold, ObeysTheLaws) {
  Rng rng(113);
  const auto manifold = small_product<double>();
  test::check_manifold_laws(manifold, test::random_ambient(manifold, rng), rng);
}

TEST(ProductManifold, ObeysTheLawsInSinglePrecision) {
  Rng rng(114);
  const auto manifold = small_product<float>();
  test::check_manifold_laws(manifold, test::random_ambient(manifold, rng), rng, test::kLooseLaws);
}

TEST(ProductManifold, AddsUpItsFactors) {
  const auto manifold = small_product<double>();
  EXPECT_EQ(manifold.factors(), 4U);
  EXPECT_EQ(manifold.dimension(), (24 - 1 - 3) + 4 + 11 + (14 - 1 - 1));
  EXPECT_NEAR(manifold.typical_distance(), std::sqrt(3 * std::pow(std::numbers::pi / 2, 2) + 4.0), 1e-14);
}

TEST(ProductManifold, DoesToEachFactorWhatTheFactorDoes) {
  Rng rng(115);
  const auto manifold = small_product<double>();
  const auto x = test::random_ambient(manifold, rng);
  const auto v = test::random_ambient(manifold, rng);
  const auto projected = test::projected(manifold, x, v);
  std::vector<Matrix<double>> moved;
  manifold.retract(x, projected, moved);
  EXPECT_EQ(projected[0], test::projected(Spectrahedron<double>(8, 3), x[0], v[0]));
  EXPECT_EQ(projected[2], v[2]);
  EXPECT_EQ(moved[2], (x[2] + v[2]).eval());
  Matrix<double> expected;
  Spectrahedron<double>(7, 2).retract(x[3], projected[3], expected);
  EXPECT_EQ(moved[3], expected);
}

}  // namespace
}  // namespace lacuna
