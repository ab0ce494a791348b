// SPDX-License-Identifier: MIT
#include "model/value_kind.hpp"

#include <gtest/gtest.h>

#include <lacuna/model/explain.hpp>
#include <vector>

#include "model/blend.hpp"
#include "model/body.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

ValueKind kind_of(const std::vector<double>& values) { return value_kind(values); }

Model model_of(const std::vector<double>& values) {
  Model model;
  model.record.set("values", std::string(name(value_kind(values))));
  model.observed = {.low = values.front(), .high = values.back()};
  return model;
}

TEST(ValueKind, IsWhatTheValuesAre) {
  EXPECT_EQ(kind_of({0, 1, 1, 0}), ValueKind::kFacts);
  EXPECT_EQ(kind_of({1, 2, 5}), ValueKind::kRatings);
  EXPECT_EQ(kind_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10}), ValueKind::kRatings);
  EXPECT_EQ(kind_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}), ValueKind::kCounts);
  EXPECT_EQ(kind_of({0.5, 1, 5}), ValueKind::kHalves);
  EXPECT_EQ(kind_of({-11, -10, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}), ValueKind::kWhole);
  EXPECT_EQ(kind_of({0, 0.25, 1}), ValueKind::kShares);
  EXPECT_EQ(kind_of({0, 0.25, 1.25}), ValueKind::kNumbers);
  EXPECT_EQ(kind_of({}), ValueKind::kNumbers);
}

TEST(ValueKind, SaysWherePredictionsAreKept) {
  EXPECT_EQ(natural_range(model_of({1, 2, 5})), (Range{.low = 1, .high = 5}));
  EXPECT_EQ(natural_range(model_of({3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 40})),
            (Range{.low = 0, .high = 80}));
  EXPECT_EQ(natural_range(model_of({0.1, 0.3})), (Range{.low = 0, .high = 1}));
  EXPECT_EQ(natural_range(model_of({0, 1})), std::nullopt);
  EXPECT_EQ(natural_range(model_of({-0.1, 0.3})), std::nullopt);
  EXPECT_EQ(natural_range(Model{}), std::nullopt);  // older models do not say
  Model told = model_of({1, 2, 5});
  told.record.set("clip", std::string("none"));
  EXPECT_EQ(natural_range(told), std::nullopt);
}

// Of counts up to 20, which says -5 and 60 of its two columns.
Model model_of_counts() {
  Model model = model_of({0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 20});
  model.modes = test::plain_modes({2, 2});
  model.offsets.effects.push_back({.modes = {1}, .key = {0, 1}, .value = {-5.0, 60.0}});
  return model;
}

Model blend_of(const Model& model) { return blended({.members = {model, model}, .weights = {0.25, 0.75}}); }

std::vector<double> explained(const Model& model, const Cells& cells) {
  Explainer explainer(model);
  std::vector<double> values;
  for (Count c = 0; c < cells.size(); ++c) values.push_back(explainer.explain(cells, c).value);
  return values;
}

TEST(ValueKind, KeepsWhatEveryoneIsTold) {
  const Cells cells{{0, 0}, {0, 1}};
  const std::vector<double> kept{0.0, 40.0};
  const std::vector<double> free{-5.0, 60.0};
  for (Model model : {model_of_counts(), blend_of(model_of_counts())}) {
    EXPECT_EQ(Predictor(model).predict(cells).value, kept);
    EXPECT_EQ(explained(model, cells), kept);
    EXPECT_EQ(Predictor(model).scores(cells), free);
    EXPECT_EQ(Predictor(model).predict_as_told(cells).value, free);
    set_clip(model, Range{.low = 1, .high = 50});
    EXPECT_EQ(Predictor(model).predict(cells).value, (std::vector<double>{1.0, 50.0}));
    EXPECT_EQ(explained(model, cells), (std::vector<double>{1.0, 50.0}));
    EXPECT_EQ(Predictor(model).predict_as_told(cells).value, (std::vector<double>{1.0, 50.0}));
    set_clip(model, Clip());
    EXPECT_EQ(Predictor(model).predict(cells).value, free);
    EXPECT_EQ(explained(model, cells), free);
  }
}

TEST(ValueKind, ABlendKeepsToWhatItsMembersWereTold) {
  Model told = model_of_counts();
  set_clip(told, Clip());
  EXPECT_EQ(prediction_range(blend_of(told)), std::nullopt);
}

TEST(ValueKind, SaysWhatValuesAreMultiplesOf) {
  EXPECT_EQ(value_step(model_of({1, 2, 5})), 1.0);
  EXPECT_EQ(value_step(model_of({0.5, 2, 5})), 0.5);
  EXPECT_EQ(value_step(model_of({0.1, 2, 5})), std::nullopt);
  EXPECT_EQ(value_step(Model{}), std::nullopt);
}

}  // namespace
}  // namespace lacuna
