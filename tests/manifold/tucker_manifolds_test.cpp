// SPDX-License-Identifier: MIT
// The laws of the three homes of Tucker tensors, checked on whole tensors.
#include <gtest/gtest.h>

#include "manifold/embedded_tucker.hpp"
#include "manifold/quotient_tucker.hpp"
#include "support/taylor.hpp"
#include "support/tucker_tensor.hpp"

namespace lacuna {
namespace {

using test::whole;
using test::whole_derivative;

constexpr double kRounding = 1e-10;  // solutions of small linear systems, vectors of length about 1

template <class M>
class TuckerManifold : public testing::Test {
 protected:
  static Tucker vector_at(const M& manifold, Rng& rng) {
    Tucker v;
    manifold.random_point(rng, v);
    return v;
  }
  static Tucker tangent_at(const M& manifold, const Tucker& x, Rng& rng) {
    Tucker v = vector_at(manifold, rng);
    typename M::Frame frame;
    manifold.frame(x, frame);
    manifold.project(x, frame, v);
    manifold.scale(1.0 / std::sqrt(inner_at(manifold, x, frame, v, v)), v);
    return v;
  }
  template <class Body>
  static void each_case(Body&& body) {
    Rng rng(71);
    body(M({7, 6}, {2, 2}), rng);
    body(M({6, 5, 4}, {2, 3, 2}), rng);
    body(M({5, 4, 3, 3}, {2, 2, 1, 3}), rng);
  }
};
using Manifolds = testing::Types<EmbeddedTucker, QuotientTucker, TuckerSpace>;
TYPED_TEST_SUITE(TuckerManifold, Manifolds);

TYPED_TEST(TuckerManifold, ProjectingTwiceIsProjectingOnce) {
  this->each_case([](const TypeParam& manifold, Rng& rng) {
    const Tucker x = TestFixture::vector_at(manifold, rng);
    typename TypeParam::Frame frame;
    manifold.frame(x, frame);
    Tucker once = TestFixture::vector_at(manifold, rng);
    manifold.project(x, frame, once);
    Tucker twice = once;
    manifold.project(x, frame, twice);
    manifold.axpy(-1.0, once, twice);
    EXPECT_LT(std::sqrt(inner_at(manifold, x, frame, twice, twice)), kRounding);
  });
}

// <grad, u>_x = <derivatives by core and factors, u> for all tangent u
TYPED_TEST(TuckerManifold, GradientsRepresentTheDerivative) {
  this->each_case([](const TypeParam& manifold, Rng& rng) {
    const Tucker x = TestFixture::vector_at(manifold, rng);
    typename TypeParam::Frame frame;
    manifold.frame(x, frame);
    // of f(X) = <A, X>, which is a function of the tensor alone
    const Cells cells = test::every_cell(test::extents_of(x));
    std::vector<double> a(cells[0].size());
    for (double& value : a) value = rng.normal();
    Tucker gradient;
    manifold.zero(x, gradient);
    add_gradient(x, cells, a, gradient);
    to_gradient(manifold, x, frame, gradient);
    Tucker again = gradient;
    manifold.project(x, frame, again);
    manifold.axpy(-1.0, gradient, again);
    EXPECT_LT(std::sqrt(inner_at(manifold, x, frame, again, again)), kRounding) << "not tangent";
    for (int trial = 0; trial < 5; ++trial) {
      const Tucker u = TestFixture::tangent_at(manifold, x, rng);
      const double derivative =
          Eigen::Map<const Eigen::VectorXd>(a.data(), static_cast<Eigen::Index>(a.size()))
              .dot(whole_derivative(x, u));
      EXPECT_NEAR(inner_at(manifold, x, frame, gradient, u), derivative, kRounding * 10);
    }
  });
}

// R_x(0) is x, and R_x(t u) = x + t u + O(t^2), as tensors.
TYPED_TEST(TuckerManifold, RetractionsAreOfFirstOrder) {
  this->each_case([](const TypeParam& manifold, Rng& rng) {
    const Tucker x = TestFixture::vector_at(manifold, rng);
    const Tucker u = TestFixture::tangent_at(manifold, x, rng);
    const Eigen::VectorXd start = whole(x);
    const Eigen::VectorXd direction = whole_derivative(x, u);
    const auto error = [&](double t) {
      Tucker step = u;
      manifold.scale(t, step);
      Tucker y;
      manifold.retract(x, step, y);
      return (whole(y) - start - t * direction).norm();
    };
    EXPECT_LT(error(0.0), 1e-7);
    EXPECT_NEAR(test::taylor_slope(error, {.largest = 0.02, .steps = 5}), 2.0, 0.1);
  });
}

TYPED_TEST(TuckerManifold, HasADimension) {
  this->each_case([](const TypeParam& manifold, Rng&) {
    EXPECT_GT(manifold.dimension(), 0.0);
    EXPECT_GT(manifold.typical_distance(), 0.0);
  });
}

TEST(EmbeddedTucker, ItsMetricAndGaugeAreThoseOfTheTensors) {
  Rng rng(72);
  const EmbeddedTucker manifold({6, 5, 4}, {2, 3, 2});
  Tucker x, v;
  manifold.random_point(rng, x);
  manifold.random_point(rng, v);
  EmbeddedTucker::Frame frame;
  manifold.frame(x, frame);
  const Eigen::VectorXd before = whole_derivative(x, v);
  manifold.project(x, frame, v);
  EXPECT_LT((whole_derivative(x, v) - before).norm(), kRounding);
  EXPECT_NEAR(manifold.inner(x, frame, v, v), before.squaredNorm(), kRounding * before.squaredNorm());
  for (int k = 0; k < 3; ++k) EXPECT_LT((x.factors[k].transpose() * v.factors[k]).norm(), kRounding);
}

// What is left of a tensor after transport is orthogonal to the new tangent space.
TEST(EmbeddedTucker, TransportIsTheOrthogonalProjection) {
  Rng rng(73);
  const EmbeddedTucker manifold({6, 5, 4}, {2, 3, 2});
  Tucker x, y, v;
  manifold.random_point(rng, x);
  manifold.random_point(rng, y);
  manifold.random_point(rng, v);
  EmbeddedTucker::Frame at_x, at_y;
  manifold.frame(x, at_x);
  manifold.frame(y, at_y);
  manifold.project(x, at_x, v);
  const Eigen::VectorXd tensor = whole_derivative(x, v);
  manifold.transport(x, y, at_y, v);
  for (int k = 0; k < 3; ++k) EXPECT_LT((y.factors[k].transpose() * v.factors[k]).norm(), kRounding);
  const Eigen::VectorXd left = tensor - whole_derivative(y, v);
  for (int trial = 0; trial < 10; ++trial) {
    Tucker u;
    manifold.random_point(rng, u);
    manifold.project(y, at_y, u);
    EXPECT_NEAR(left.dot(whole_derivative(y, u)), 0.0, kRounding);
  }
}

class QuotientGeometry : public testing::Test {
 protected:
  QuotientGeometry() : manifold_({6, 5, 4}, {2, 3, 2}), rng_(74) {
    manifold_.random_point(rng_, x_);
    manifold_.frame(x_, frame_);
  }
  std::vector<Eigen::MatrixXd> random_skew() {
    std::vector<Eigen::MatrixXd> skew;
    for (const int rank : manifold_.ranks()) {
      const Eigen::MatrixXd any = test::random_matrix<double>(rank, rank, rng_);
      skew.emplace_back(any - any.transpose());
    }
    return skew;
  }
  Tucker random_vector() {
    Tucker v;
    manifold_.random_point(rng_, v);
    return v;
  }

  QuotientTucker manifold_;
  Rng rng_;
  Tucker x_;
  QuotientTucker::Frame frame_;
};

TEST_F(QuotientGeometry, VerticalVectorsDoNotMoveTheTensor) {
  Tucker vertical;
  manifold_.vertical(x_, random_skew(), vertical);
  EXPECT_LT(whole_derivative(x_, vertical).norm(), kRounding);
}

TEST_F(QuotientGeometry, TheAdjointIsOne) {
  const auto skew = random_skew();
  const Tucker v = random_vector();
  Tucker vertical;
  manifold_.vertical(x_, skew, vertical);
  double product = 0.0;
  const auto adjoint = manifold_.vertical_adjoint(x_, frame_, v);
  for (std::size_t k = 0; k < skew.size(); ++k) product += skew[k].cwiseProduct(adjoint[k]).sum();
  EXPECT_NEAR(manifold_.inner(x_, frame_, vertical, v), product, kRounding);
}

TEST_F(QuotientGeometry, ProjectedVectorsAreTangentAndOrthogonalToTheFibers) {
  Tucker v = random_vector();
  manifold_.project(x_, frame_, v);
  for (int k = 0; k < 3; ++k) {
    const Eigen::MatrixXd product = x_.factors[k].transpose() * v.factors[k];
    EXPECT_LT((product + product.transpose()).norm(), kRounding) << "not tangent";
  }
  for (int trial = 0; trial < 5; ++trial) {
    Tucker vertical;
    manifold_.vertical(x_, random_skew(), vertical);
    EXPECT_NEAR(manifold_.inner(x_, frame_, vertical, v), 0.0, kRounding) << "not horizontal";
  }
}

TEST_F(QuotientGeometry, TheProjectionIsSelfAdjoint) {
  const Tucker a = random_vector();
  const Tucker b = random_vector();
  Tucker projected_a = a;
  Tucker projected_b = b;
  manifold_.project(x_, frame_, projected_a);
  manifold_.project(x_, frame_, projected_b);
  EXPECT_NEAR(manifold_.inner(x_, frame_, projected_a, b), manifold_.inner(x_, frame_, a, projected_b),
              kRounding);
}

TEST_F(QuotientGeometry, RetractionsKeepOrthonormalFactors) {
  Tucker v = random_vector();
  manifold_.project(x_, frame_, v);
  Tucker y;
  manifold_.retract(x_, v, y);
  for (const Matrix<double>& factor : y.factors)
    EXPECT_LT((factor.transpose() * factor - Eigen::MatrixXd::Identity(factor.cols(), factor.cols())).norm(),
              kRounding);
}

}  // namespace
}  // namespace lacuna
