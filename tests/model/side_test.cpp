// SPDX-License-Identifier: MIT
// From features and graphs to side information.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <lacuna/model/side.hpp>
#include <limits>

#include "base/rng.hpp"
#include "linalg/graph_vectors.hpp"

namespace lacuna {
namespace {

const double kNaN = std::nan("");

Eigen::MatrixXd dense(const SideInformation& side) {
  Eigen::MatrixXd matrix = Eigen::MatrixXd::Zero(side.positions(), side.columns());
  for (std::int64_t i = 0; i < side.positions(); ++i)
    for (std::int64_t j = side.start[i]; j < side.start[i + 1]; ++j)
      matrix(i, side.column[j]) = side.value[j];
  return matrix;
}

TEST(Side, NumbersAreStandardisedAndWhatIsNotKnownIsTheMean) {
  const SideInformation side = side_of_features(
      5, {{.name = "age", .numbers = {10, 20, 30, 40, kNaN}}, {.name = "size", .numbers = {1, 1, 1, 2, 2}}});
  check_side(side, 5, "user");
  const Eigen::MatrixXd phi = dense(side);
  ASSERT_EQ(side.names, (std::vector<std::string>{"age", "age missing", "size"}));
  EXPECT_NEAR(phi.col(0).sum(), 0.0, 1e-12);
  EXPECT_EQ(phi(4, 0), 0.0);
  EXPECT_NEAR(phi(3, 0) / phi(2, 0), 3.0, 1e-12);
  EXPECT_NEAR(phi.squaredNorm(), 5.0, 1e-12);  // mean squared length 1
  // size: variance 1 before the common scale, as the indicator has
  EXPECT_NEAR(phi.col(2).squaredNorm(), phi.col(1).squaredNorm(), 1e-12);
}

TEST(Side, FarNumbersAreHeldBack) {
  std::vector<double> numbers(100, 0.0);
  for (std::size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<double>(i % 2);
  numbers[7] = 1e9;
  const Eigen::MatrixXd phi = dense(side_of_features(100, {{.name = "pay", .numbers = numbers}}));
  EXPECT_LE(phi.cwiseAbs().maxCoeff(), 4.0 / phi.norm() * 10.0 * 10.0);
  EXPECT_GT(phi(7, 0), 0.0);
}

TEST(Side, CategoriesAreColumnsOfEqualLength) {
  const SideInformation side = side_of_features(
      6, {{.name = "job", .words = {"a", "b", "a", "b", "", "c"}},
          {.name = "kind", .words = {"x|y", "x", "y|z|x", "z", "z", "y"}, .separator = '|'}});
  ASSERT_EQ(side.names,
            (std::vector<std::string>{"job=a", "job=b", "job missing", "kind=x", "kind=y", "kind=z"}));
  const Eigen::MatrixXd phi = dense(side);
  const double unit = phi(0, 0);
  EXPECT_GT(unit, 0.0);
  EXPECT_EQ(phi(2, 0), unit);
  EXPECT_NEAR(phi(1, 1), unit, 1e-12);
  for (int i = 0; i < 6; ++i) EXPECT_NEAR(phi.row(i).tail(3).norm(), unit, 1e-12) << i;  // however many
  EXPECT_EQ(phi.row(5).head(2).norm(), 0.0);                                             // c is alone
}

TEST(Side, ColumnsThatTellNothingApartAreLeftOutWithASentence) {
  std::vector<std::string> left_out;
  const SideInformation side = side_of_features(4,
                                                {{.name = "id", .words = {"p", "q", "r", "s"}},
                                                 {.name = "same", .numbers = {3, 3, 3, 3}},
                                                 {.name = "all", .words = {"w", "w", "w", "w"}}},
                                                &left_out);
  EXPECT_EQ(side.columns(), 0);
  ASSERT_EQ(left_out.size(), 3U);
  EXPECT_NE(left_out[0].find("column id is left out"), std::string::npos);
}

TEST(Side, WrongFeaturesAreRefused) {
  EXPECT_THROW((void)side_of_features(3, {{.name = "a", .numbers = {1, 2}}}), std::invalid_argument);
  EXPECT_THROW(
      (void)side_of_features(2, {{.name = "a", .numbers = {1, std::numeric_limits<double>::infinity()}}}),
      std::invalid_argument);
}

TEST(Side, AGraphsKernelIsTheInverseOfItsLaplacian) {
  Rng rng(750);
  constexpr Index kSize = 20;
  std::vector<GraphEdge> edges;
  Eigen::MatrixXd weight = Eigen::MatrixXd::Zero(kSize, kSize);
  for (int e = 0; e < 60; ++e) {
    const GraphEdge edge{.from = static_cast<Index>(rng.below(kSize)),
                         .to = static_cast<Index>(rng.below(kSize)),
                         .weight = rng.uniform()};
    edges.push_back(edge);
    if (edge.from == edge.to) continue;
    weight(edge.from, edge.to) += edge.weight;
    weight(edge.to, edge.from) += edge.weight;
  }
  const SideInformation side = side_of_graph(kSize, edges);
  check_side(side, kSize, "station");
  const Eigen::VectorXd root = weight.rowwise().sum().cwiseSqrt().cwiseInverse();
  const Eigen::MatrixXd laplacian =
      Eigen::MatrixXd::Identity(kSize, kSize) - root.asDiagonal() * weight * root.asDiagonal();
  Eigen::MatrixXd kernel = (0.1 * Eigen::MatrixXd::Identity(kSize, kSize) + laplacian).inverse();
  kernel *= kSize / kernel.trace();
  EXPECT_LT((dense(side) * dense(side).transpose() - kernel).norm(), 1e-9 * kernel.norm());
}

TEST(Side, LanczosFindsTheSmoothestVectorsOfALargeGraph) {
  // A ring: eigenvalues 1 - cos(2 pi j / n), each but the first twice.
  constexpr std::uint32_t kSize = 700;
  std::vector<WeightedPair> ring;
  for (std::uint32_t i = 0; i < kSize; ++i) ring.push_back({.first = i, .second = (i + 1) % kSize});
  const GraphVectors found = graph_vectors(kSize, ring, 9);
  ASSERT_EQ(found.vectors.cols(), 9);
  for (int j = 0; j < 9; ++j)
    EXPECT_NEAR(found.laplacian(j), 1.0 - std::cos(2.0 * M_PI * ((j + 1) / 2) / kSize), 1e-6) << j;
  EXPECT_LT((found.vectors.transpose() * found.vectors - Eigen::MatrixXd::Identity(9, 9)).norm(), 1e-8);
}

TEST(Side, PositionsWithoutEdgesHaveNoNumbers) {
  const SideInformation side =
      side_of_graph(4, {{.from = 0, .to = 1}, {.from = 1, .to = 2}, {.from = 3, .to = 3}});
  EXPECT_EQ(side.start[3], side.start[4]);
  EXPECT_LT(side.start[0], side.start[1]);
}

TEST(Side, WrongEdgesAreRefused) {
  EXPECT_THROW((void)side_of_graph(3, {{.from = 0, .to = 3}}), std::invalid_argument);
  EXPECT_THROW((void)side_of_graph(3, {{.from = 0, .to = 1, .weight = -1.0}}), std::invalid_argument);
  EXPECT_THROW((void)side_of_graph(3, {{.from = 0, .to = 1, .weight = kNaN}}), std::invalid_argument);
}

TEST(Side, BothSidesHaveHalfEach) {
  const SideInformation features = side_of_features(3, {{.name = "a", .numbers = {1, 2, 3}}});
  const SideInformation graph = side_of_graph(3, {{.from = 0, .to = 1}, {.from = 1, .to = 2}});
  const SideInformation both = both_sides(features, graph);
  check_side(both, 3, "a");
  EXPECT_EQ(both.columns(), features.columns() + graph.columns());
  EXPECT_NEAR(dense(both).squaredNorm(), 3.0, 1e-12);
  EXPECT_NEAR(dense(both).col(0).squaredNorm(), 1.5, 1e-12);
  EXPECT_EQ(both_sides(SideInformation{.names = {}, .start = {0, 0, 0, 0}}, graph), graph);
}

}  // namespace
}  // namespace lacuna
