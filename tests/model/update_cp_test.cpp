// SPDX-License-Identifier: MIT
// Updates of Bayesian CP tensors, and of blends that have one.
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <lacuna/model/update.hpp>

#include "support/update_models.hpp"

namespace lacuna {
namespace {

using test::cp_model;
using test::factored_model;
using test::grown;
using test::kExtents;

// precision V^-1 = tau sum_e E[g_e g_e'] + diag(gamma), mean tau V sum_e y_e E[g_e], gamma_r = rows / E||columns r||^2
TEST(Update, ANewRowOfACpTensorIsItsPosterior) {
  Rng rng(30);
  Model model = cp_model(rng);
  model.offsets = {};
  Entries entries{.cells = Cells(3), .value = {}};
  for (Index j = 0; j < 3; ++j) {  // three for each 90 that a position of the third mode has: they stay
    entries.cells.add({kExtents[0], j, j % kExtents[2]});
    entries.value.push_back(rng.normal());
  }
  const auto found = update(model, grown(model, 1), entries, {.held_out = 0.0});
  ASSERT_TRUE(found);
  const auto& cp = std::get<Cp>(*model.body);
  Eigen::Vector2d squares = Eigen::Vector2d::Zero();
  for (std::size_t k = 0; k < 3; ++k)
    for (Eigen::Index i = 0; i < cp.factors[k].rows(); ++i)
      for (int r = 0; r < 2; ++r) squares[r] += std::pow(cp.factors[k](i, r), 2) + cp.covariance[k](i, 3 * r);
  Eigen::Matrix2d precision = (46.0 * squares.cwiseInverse()).asDiagonal();
  Eigen::Vector2d right = Eigen::Vector2d::Zero();
  const auto second = [&](std::size_t k, Index i) {
    const Eigen::Vector2d mean = cp.factors[k].row(i).transpose();
    return Eigen::Matrix2d(mean * mean.transpose() +
                           Eigen::Map<const Eigen::Matrix2d>(cp.covariance[k].row(i).data()));
  };
  for (Index j = 0; j < 3; ++j) {
    precision += 5.0 * second(1, j).cwiseProduct(second(2, j % kExtents[2]));
    right += 5.0 * entries.value[j] *
             cp.factors[1].row(j).cwiseProduct(cp.factors[2].row(j % kExtents[2])).transpose();
  }
  const auto& updated = std::get<Cp>(*found->model.body);
  const Eigen::Vector2d expected = precision.inverse() * right;
  for (int r = 0; r < 2; ++r) EXPECT_NEAR(updated.factors[0](kExtents[0], r), expected[r], 1e-9);
  EXPECT_NEAR(updated.covariance[0](kExtents[0], 1), precision.inverse()(0, 1), 1e-9);
  EXPECT_EQ(found->model.entries, model.entries + 3);
  ASSERT_NE(found->model.kept, nullptr);
  EXPECT_EQ(found->model.kept->size(), model.entries + 3);
  Cells others(3);
  for (Index i = 0; i < kExtents[0]; ++i) others.add({i, 5, 3});
  EXPECT_EQ(Predictor(found->model).scores(others), Predictor(model).scores(others));
}

TEST(Update, ABlendIsItsMembersUpdated) {
  Rng rng(31);
  const Model cp = cp_model(rng);
  Rng again(31);
  Model als = factored_model(again);
  ASSERT_EQ(als.latent()->dual.cells(), cp.kept->cells());
  Latent& latent = std::get<Latent>(*als.body);
  std::vector<double> left(cp.kept->values().begin(), cp.kept->values().end());
  const std::vector<double> said = Predictor(als).scores(cp.kept->cells());
  for (std::size_t e = 0; e < left.size(); ++e) left[e] -= said[e];
  latent.dual.replace_values(left);
  const Model blend = blended({.members = {als, cp}, .weights = {0.4, 0.6}});
  EXPECT_NE(blend.kept, nullptr);
  ASSERT_EQ(why_not_updated(blend), "");
  Entries entries{.cells = Cells(3), .value = {}};
  for (Index more = 0; more < 6; ++more)
    for (Index j = 0; j < kExtents[1]; ++j) {
      entries.cells.add({kExtents[0] + more, j, j % kExtents[2]});
      entries.value.push_back(rng.normal());
    }
  const auto whole = update(blend, grown(blend, 6), entries);
  const auto one = update(als, grown(als, 6), entries);
  const auto two = update(cp, grown(cp, 6), entries);
  ASSERT_TRUE(whole.ok() && one.ok() && two.ok());
  Cells cells(3);
  for (Index j = 0; j < kExtents[1]; ++j) cells.add({kExtents[0] + 1, j, 2});
  const std::vector<double> mean = Predictor(whole->model).scores(cells);
  const std::vector<double> first = Predictor(one->model).scores(cells);
  const std::vector<double> second = Predictor(two->model).scores(cells);
  for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(mean[i], 0.4 * first[i] + 0.6 * second[i], 1e-12);
  EXPECT_TRUE(whole->held_out_rmse.has_value());
  EXPECT_EQ(whole->model.entries, blend.entries + entries.size());
  EXPECT_EQ(why_not_updated(whole->model), "");
}

}  // namespace
}  // namespace lacuna
