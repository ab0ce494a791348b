// SPDX-License-Identifier: MIT
// Predictions of models without latent parts against their definitions.
#include <gtest/gtest.h>

#include <cmath>
#include <lacuna/model/model.hpp>

#include "model/body.hpp"
#include "support/random_bodies.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::cell_of;
using test::naive_value;

constexpr double kRounding = 1e-12;  // sums of at most a few dozen products of order one

double naive_value(const Cp& x, const std::vector<Index>& cell) {
  double sum = 0.0;
  for (Eigen::Index r = 0; r < x.factors[0].cols(); ++r) {
    double product = 1.0;
    for (std::size_t k = 0; k < cell.size(); ++k) product *= x.factors[k](cell[k], r);
    sum += product;
  }
  return sum;
}

Model model_of(const std::vector<Index>& extents, ModelBody body) {
  Model model;
  model.modes = test::plain_modes(extents);
  model.offsets.mean = 0.75;
  model.body = std::move(body);
  return model;
}

const std::vector<std::vector<Index>> kShapes = {{7, 6}, {6, 5, 4}, {5, 4, 3, 3}};

TEST(Bodies, TuckerAndCpEqualTheirDefinitions) {
  Rng rng(31);
  for (const std::vector<Index>& extents : kShapes) {
    std::vector<int> ranks;
    for (std::size_t k = 0; k < extents.size(); ++k) ranks.push_back(1 + static_cast<int>(rng.below(3)));
    const Tucker tucker = test::random_tucker(extents, ranks, rng);
    const Cp cp = test::random_cp(extents, 3, rng);
    const auto index = test::random_cells(extents, 25, rng);  // in no order
    const auto of_tucker = Predictor(model_of(extents, tucker)).predict(index).value;
    const auto of_cp = Predictor(model_of(extents, cp)).predict(index).value;
    for (std::size_t i = 0; i < 25; ++i) {
      std::vector<Index> cell;
      for (int k = 0; k < index.order(); ++k) cell.push_back(index.mode(k)[i]);
      EXPECT_NEAR(of_tucker[i], 0.75 + naive_value(tucker, cell), kRounding);
      EXPECT_NEAR(of_cp[i], 0.75 + naive_value(cp, cell), kRounding);
    }
  }
}

TEST(Bodies, CpVarianceEqualsItsDefinition) {
  Rng rng(33);
  for (const std::vector<Index>& extents : kShapes) {
    const Cp cp = test::random_cp(extents, 3, rng);
    auto index = test::random_cells(extents, 25, rng);
    std::vector<Index> beyond(extents.size(), 0);
    beyond[0] = extents[0];
    index.add(beyond);
    const Model model = model_of(extents, cp);
    const auto variance = Predictor(model).variance(index);
    EXPECT_TRUE(std::isinf(variance.back()));
    for (std::size_t i = 0; i < 25; ++i) {
      double sum = 1.0 / cp.noise_precision;
      for (std::size_t k = 0; k < extents.size(); ++k)
        for (Eigen::Index r = 0; r < 3; ++r)
          for (Eigen::Index s = 0; s < 3; ++s) {
            double term = cp.covariance[k](index[k][i], 3 * r + s);
            for (std::size_t other = 0; other < extents.size(); ++other)
              if (other != k)
                term *= cp.factors[other](index[other][i], r) * cp.factors[other](index[other][i], s);
            sum += term;
          }
      EXPECT_NEAR(variance[i], sum, 1e-10);
    }
    EXPECT_TRUE(Predictor(model_of(extents, test::random_dense(extents, rng))).variance(index).empty());
  }
}

TEST(Bodies, DenseCellsAreCountedWithTheFirstIndexFastest) {
  Rng rng(32);
  const Dense dense = test::random_dense({4, 3, 2}, rng);
  const Model model = model_of({4, 3, 2}, dense);
  EXPECT_EQ(Predictor(model).predict({{1}, {0}, {0}}).value[0], 0.75 + dense.value[1]);
  EXPECT_EQ(Predictor(model).predict({{3}, {2}, {1}}).value[0], 0.75 + dense.value[3 + 4 * (2 + 3 * 1)]);
}

TEST(Bodies, UnseenPositionsGetTheOffsetAndAreCounted) {
  Rng rng(33);
  for (const ModelBody& body : test::random_bodies({5, 4, 3}, rng)) {
    const Model model = model_of({5, 4, 3}, body);
    const auto prediction = Predictor(model).predict({{kUnseen, 1, 5}, {0, kUnseen, 1}, {0, 2, 1}});
    EXPECT_EQ(prediction.value, std::vector<double>(3, 0.75)) << kind_name(model);
    EXPECT_EQ(prediction.cold, 3);
  }
}

TEST(Bodies, HaveNoParts) {
  Rng rng(34);
  for (const ModelBody& body : test::random_bodies({5, 4, 3}, rng)) {
    const Model model = model_of({5, 4, 3}, body);
    const Predictor predictor(model);
    EXPECT_TRUE(predictor.mixture().empty());
    EXPECT_TRUE(predictor.tensor_mixture().empty());
    EXPECT_TRUE(predictor.predict_parts({{0}, {0}, {0}}).empty());
  }
}

TEST(Bodies, SameBitsAtAnyThreadCountAndInAnyOrder) {
  Rng rng(35);
  const std::vector<Index> extents = {60, 50, 40};
  const Count cells = 60 * 50 * 40;
  std::vector<std::vector<Index>> index(3), reversed(3);
  for (Count c = 0; c < cells; ++c)
    for (std::size_t k = 0; k < 3; ++k) {
      index[k].push_back(cell_of(static_cast<std::uint64_t>(c), extents)[k]);
      reversed[k].push_back(cell_of(static_cast<std::uint64_t>(cells - 1 - c), extents)[k]);
    }
  for (const ModelBody& body : test::random_bodies(extents, rng)) {
    const Model model = model_of(extents, body);
    std::vector<double> backwards = Predictor(model).predict(reversed).value;
    const std::vector<double> first(backwards.rbegin(), backwards.rend());
    for (const int threads : {1, 2, 3}) {
      const test::WithThreads scope(threads);
      EXPECT_TRUE(test::same_bits<double>(first, Predictor(model).predict(index).value)) << kind_name(model);
    }
  }
}

}  // namespace
}  // namespace lacuna
