// SPDX-License-Identifier: MIT
// The spectrahedron: its laws, its quotient, its edge, and derivatives on it.
#include "manifold/spectrahedron.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <vector>

#include "support/manifold_laws.hpp"
#include "support/objective_laws.hpp"
#include "support/objectives.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

using test::projected;
using test::random_ambient;
using test::random_matrix;

const std::vector<std::pair<int, int>> kShapes = {{8, 1}, {8, 3}, {5, 5}, {30, 7}, {4, 6}, {1, 1}};

TEST(Spectrahedron, ObeysTheLaws) {
  Rng rng(100);
  for (const auto& [rows, columns] : kShapes) {
    if (rows == 1) continue;  // a single point: no direction to go
    SCOPED_TRACE(testing::Message() << rows << " x " << columns);
    const Spectrahedron<double> manifold(rows, columns);
    test::check_manifold_laws(manifold, random_ambient(manifold, rng), rng);
  }
}

TEST(Spectrahedron, ObeysTheLawsInSinglePrecision) {
  Rng rng(101);
  for (const auto& [rows, columns] : kShapes) {
    if (rows == 1) continue;
    SCOPED_TRACE(testing::Message() << rows << " x " << columns);
    const Spectrahedron<float> manifold(rows, columns);
    test::check_manifold_laws(manifold, random_ambient(manifold, rng), rng, test::kLooseLaws);
  }
}

TEST(Spectrahedron, HasTheDimensionOfTheQuotient) {
  EXPECT_EQ(Spectrahedron<double>(8, 1).dimension(), 7);  // a sphere
  EXPECT_EQ(Spectrahedron<double>(8, 3).dimension(),
            24 - 4);  // unit norm, and the 3 rotations of the columns
  // The rank of the projection, counted: images of the unit vectors.
  Rng rng(102);
  const Spectrahedron<double> manifold(6, 3);
  const Matrix<double> u = random_ambient(manifold, rng);
  double trace = 0.0;
  for (Eigen::Index i = 0; i < 18; ++i) {
    Matrix<double> unit = Matrix<double>::Zero(6, 3);
    unit.data()[i] = 1.0;
    trace += projected(manifold, u, unit).data()[i];
  }
  EXPECT_NEAR(trace, manifold.dimension(), 1e-12);
}

TEST(Spectrahedron, ProjectionTurnsWithTheRepresentative) {
  Rng rng(103);
  for (const auto& [rows, columns] : kShapes) {
    const Spectrahedron<double> manifold(rows, columns);
    const Matrix<double> u = random_ambient(manifold, rng);
    const Matrix<double> xi = random_ambient(manifold, rng);
    const Matrix<double> q =
        Eigen::HouseholderQR<Matrix<double>>(random_matrix<double>(columns, columns, rng)).householderQ();
    const Matrix<double> turned = projected(manifold, (u * q).eval(), (xi * q).eval());
    EXPECT_LT((turned - projected(manifold, u, xi) * q).norm(), 1e-12);
    Matrix<double> here;
    Matrix<double> there;
    manifold.retract(u, projected(manifold, u, xi), here);
    manifold.retract(u * q, turned, there);
    EXPECT_LT((there - here * q).norm(), 1e-12);
  }
}

TEST(Spectrahedron, ProjectionRemovesTurnsOfTheRepresentative) {
  Rng rng(104);
  const Spectrahedron<double> manifold(9, 4);
  const Matrix<double> u = random_ambient(manifold, rng);
  const Matrix<double> any = random_matrix<double>(4, 4, rng);
  const Matrix<double> vertical = u * (any - any.transpose());
  EXPECT_LT(projected(manifold, u, vertical).norm(), 1e-13);
  EXPECT_LT(projected(manifold, u, u).norm(), 1e-14);  // and the direction off the sphere
}

// At the edge, where U'U is singular, the projection must stay an orthogonal projection.
template <class Real>
void check_edge(Matrix<Real> u, double tolerance) {
  const Spectrahedron<Real> manifold(u.rows(), u.cols());
  manifold.normalize(u);
  Rng rng(105);
  test::check_vector_space(manifold, u, rng, tolerance);
  test::check_projection(manifold, u, rng, tolerance);
}

TEST(Spectrahedron, ProjectsAtTheEdge) {
  Rng rng(106);
  Matrix<double> zero_column = random_matrix<double>(8, 4, rng);
  zero_column.col(2).setZero();
  check_edge(zero_column, 1e-12);
  Matrix<double> equal_columns = random_matrix<double>(8, 4, rng);
  equal_columns.col(3) = equal_columns.col(1);
  check_edge(equal_columns, 1e-12);
  Matrix<double> rank_one = random_matrix<double>(8, 1, rng) * random_matrix<double>(1, 4, rng);
  check_edge(rank_one, 1e-12);
  Matrix<double> two_zero_columns = random_matrix<double>(8, 4, rng);
  two_zero_columns.rightCols(2).setZero();
  check_edge(two_zero_columns, 1e-12);
  check_edge<float>(zero_column.cast<float>(), 2e-5);
  check_edge<float>(two_zero_columns.cast<float>(), 2e-5);
  check_edge<float>(equal_columns.cast<float>(), 2e-5);
  check_edge<float>(rank_one.cast<float>(), 2e-5);
}

TEST(Spectrahedron, ProjectionChangesLittleNearTheEdge) {
  // A column that shrinks to nothing must not let the projection blow up on the way.
  Rng rng(107);
  const Matrix<double> full = random_matrix<double>(8, 3, rng);
  for (const double size : {1e-2, 1e-4, 1e-6, 1e-7, 1e-8, 1e-12}) {
    SCOPED_TRACE(testing::Message() << "column of size " << size);
    Matrix<double> u = full;
    u.col(1) *= size;
    check_edge(u, 1e-9);
  }
}

TEST(Spectrahedron, DerivativesOfATraceFormHaveTheRightOrder) {
  Rng rng(108);
  for (const auto& [rows, columns] : kShapes) {
    if (rows == 1) continue;
    SCOPED_TRACE(testing::Message() << rows << " x " << columns);
    const Spectrahedron<double> manifold(rows, columns);
    const Matrix<double> any = random_matrix<double>(rows, rows, rng);
    test::TraceForm<double> objective((any + any.transpose()).eval());
    test::check_objective_laws(manifold, objective, random_ambient(manifold, rng), rng);
  }
}

TEST(Spectrahedron, DerivativesOfAFourthDegreeFormHaveTheRightOrder) {
  Rng rng(109);
  const Spectrahedron<double> manifold(8, 3);
  const Matrix<double> target = random_ambient(manifold, rng);
  test::NearestTheta objective((target * target.transpose()).eval());
  test::check_objective_laws(manifold, objective, random_ambient(manifold, rng), rng);
}

}  // namespace
}  // namespace lacuna
