// SPDX-License-Identifier: MIT
// The components that are shown are those the model is the sum of.
#include "model/component_views.hpp"

#include <gtest/gtest.h>

#include "model/body.hpp"
#include "support/links.hpp"
#include "support/random_models.hpp"

namespace lacuna {
namespace {

constexpr double kRounding = 1e-9;  // of sums of a few products of order one
const std::vector<Index> kExtents{8, 6, 4};

// sum_j rows(i, j) fibers(c, j) over a part's two views is the part, wherever both know something.
TEST(ComponentViews, OfAPartAddUpToIt) {
  Rng rng(2);
  const ObservedTensor tensor = test::random_tensor(kExtents, 60, rng);
  const std::vector<PartSpec> specs = {
      {.mode = 0, .agree = {1}},
      {.mode = 2, .agree = {}, .near = {{0, 3.0}, {1, 2.0}}, .smoothness = 1.5},
      {.mode = 1, .agree = {}, .near = {{2, 1.5}}}};
  for (const bool factored : {false, true}) {
    Model model = test::bare_model(tensor, rng);
    Latent latent;
    for (const PartSpec& spec : specs)
      if (!factored || spec.near.empty())
        latent.parts.push_back(test::random_part(tensor, spec, 3, factored, rng));
    latent.dual = tensor;
    const std::size_t parts = latent.parts.size();
    model.body = ModelBody(std::move(latent));
    const std::vector<ComponentView> views = component_views(model, {.most = 3, .pairs = true});
    ASSERT_EQ(views.size(), 2 * parts);
    const Cells cells = test::random_cells(kExtents, 40, rng);
    const std::vector<std::vector<double>> expected = Predictor(model).predict_parts(cells);
    int told = 0;
    for (std::size_t p = 0; p < parts; ++p) {
      const ComponentView& rows = views[2 * p];
      const ComponentView& fibers = views[2 * p + 1];
      for (Eigen::Index j = 0; j < 3; ++j) {
        EXPECT_NEAR(rows.values.col(j).array().isNaN().select(0.0, rows.values.col(j)).norm(), 1.0, 0.5);
        EXPECT_GE(rows.strength[0], rows.strength[j]);
      }
      for (Count i = 0; i < cells.size(); ++i) {
        Count fiber = 0;
        for (const int mode : fibers.modes) fiber = fiber * kExtents[mode] + cells[mode][i];
        const auto left = rows.values.row(cells[rows.modes[0]][i]);
        const auto right = fibers.values.row(fiber);
        if (left.hasNaN() || right.hasNaN()) continue;
        EXPECT_NEAR(left.dot(right), expected[p][i], kRounding);
        ++told;
      }
    }
    EXPECT_GT(told, 20);
  }
}

TEST(ComponentViews, OfTensorsAreTheirFactorsTheStrongestFirst) {
  Rng rng(3);
  const ObservedTensor tensor = test::random_tensor(kExtents, 60, rng);
  Model model = test::bare_model(tensor, rng);
  const Cp cp = test::random_cp(kExtents, 3, rng);
  model.body = ModelBody(cp);
  const std::vector<ComponentView> views = component_views(model, {.pairs = true});
  ASSERT_EQ(views.size(), 4U);  // rows x columns, and each mode
  EXPECT_EQ(views[0].modes, (std::vector<int>{0, 1}));
  EXPECT_GE(views[1].strength[0], views[1].strength[1]);
  double sum = 0.0;
  double expected = 0.0;
  for (Eigen::Index j = 0; j < 3; ++j) {
    EXPECT_NEAR(views[0].values(5 * 6 + 2, j), views[1].values(5, j) * views[2].values(2, j), kRounding);
    sum += views[0].values(5 * 6 + 2, j) * views[3].values(1, j);
    expected += cp.factors[0](5, j) * cp.factors[1](2, j) * cp.factors[2](1, j);
  }
  EXPECT_NEAR(sum, expected, kRounding);

  model.body = ModelBody(test::random_tucker(kExtents, {2, 3, 2}, rng));
  const std::vector<std::vector<double>> spectra = Predictor(model).spectra();
  const std::vector<ComponentView> unfolded = component_views(model, {.most = 2});
  ASSERT_EQ(unfolded.size(), 3U);
  for (std::size_t k = 0; k < 3; ++k)
    for (std::size_t j = 0; j < 2; ++j) {
      EXPECT_NEAR(unfolded[k].strength[j], spectra[k][j], kRounding * spectra[k][0]);
      EXPECT_NEAR(unfolded[k].values.col(static_cast<Eigen::Index>(j)).norm(), 1.0, kRounding);
    }
}

// The pictures times the channels' numbers are the cells, and so are all singular vectors of an unfolding.
TEST(ComponentViews, OfEveryCellAreSingularVectors) {
  Rng rng(5);
  const ObservedTensor tensor = test::random_tensor(kExtents, 60, rng);
  Model model = test::bare_model(tensor, rng);
  const Dense dense = test::random_dense(kExtents, rng);
  model.body = ModelBody(dense);
  const auto cell = [](Index i, Index j, Index k) { return i + 8 * (j + 6 * k); };
  const std::vector<ComponentView> picture = component_views(model, {.pairs = true});
  ASSERT_EQ(picture.size(), 2U);
  EXPECT_EQ(picture[0].modes, (std::vector<int>{0, 1}));
  EXPECT_EQ(picture[1].modes, (std::vector<int>{2}));
  double sum = 0.0;
  for (Eigen::Index j = 0; j < 4; ++j)
    sum += picture[0].strength[j] * picture[0].values(5 * 6 + 2, j) * picture[1].values(3, j);
  EXPECT_NEAR(sum, dense.value[cell(5, 2, 3)], kRounding);

  const std::vector<ComponentView> modes = component_views(model);
  ASSERT_EQ(modes.size(), 3U);
  const Matrix<double>& vectors = modes[1].values;  // of all 6 positions
  EXPECT_NEAR((vectors.transpose() * vectors - Eigen::MatrixXd::Identity(6, 6)).norm(), 0.0, kRounding);
  for (Eigen::Index c = 0; c < 6; ++c) {
    double squares = 0.0;
    for (Index i = 0; i < 8; ++i)
      for (Index k = 0; k < 4; ++k) {
        double along = 0.0;
        for (Index j = 0; j < 6; ++j) along += vectors(j, c) * dense.value[cell(i, j, k)];
        squares += along * along;
      }
    EXPECT_NEAR(std::sqrt(squares), modes[1].strength[c], kRounding);
  }
}

TEST(ComponentViews, OfLinksAreHowLargeTheirNumbersAre) {
  Rng rng(6);
  const ObservedTensor tensor = test::random_tensor(kExtents, 60, rng);
  for (const bool one_set : {false, true}) {
    Model model = test::bare_model(tensor, rng);
    if (one_set) model.modes[2] = model.modes[0];
    const std::vector<Index> sizes = extents(model.modes);
    const ComplEx x =
        test::random_complex(sizes, {.head = 0, .relation = 1, .tail = 2, .one_set = one_set}, 3, rng);
    model.body = ModelBody(x);
    const std::vector<ComponentView> views = component_views(model, {.most = 2});
    ASSERT_EQ(views.size(), one_set ? 2U : 3U);
    EXPECT_EQ(views[1].modes, (std::vector<int>{1}));
    EXPECT_EQ(views[1].values.rows(), 6);
    EXPECT_GE(views[0].strength[0], views[0].strength[1]);
    bool found = false;  // the strongest is one of the three
    for (int j = 0; j < 3; ++j)
      found = found ||
              std::abs(views[0].values(4, 0) - std::hypot(x.entities(4, j), x.entities(4, 3 + j))) < 1e-6;
    EXPECT_TRUE(found);
  }
}

TEST(ComponentViews, OfABlendAreThoseOfItsMembers) {
  Rng rng(7);
  const ObservedTensor tensor = test::random_tensor(kExtents, 60, rng);
  Model cp = test::bare_model(tensor, rng);
  cp.method = "bayescp";
  cp.body = ModelBody(test::random_cp(kExtents, 2, rng));
  Model effects = test::bare_model(tensor, rng);
  const std::vector<ComponentView> alone = component_views(cp);
  const std::vector<ComponentView> views =
      component_views(blended({.members = {effects, cp}, .weights = {0.25, 0.75}}));
  ASSERT_EQ(views.size(), alone.size());
  EXPECT_EQ(views[1].name, "0.75 bayescp, CP tensor");
  EXPECT_EQ(views[1].values, alone[1].values);
}

TEST(ComponentViews, ThereAreNoneOfABodyWithoutComponents) {
  Rng rng(4);
  const ObservedTensor tensor = test::random_tensor(kExtents, 60, rng);
  EXPECT_TRUE(component_views(test::bare_model(tensor, rng)).empty());
}

}  // namespace
}  // namespace lacuna
