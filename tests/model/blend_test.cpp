// SPDX-License-Identifier: MIT
#include "model/blend.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

#include "model/body.hpp"
#include "support/random_models.hpp"

namespace lacuna {
namespace {

class BlendOfTwo : public ::testing::Test {
 protected:
  BlendOfTwo() {
    Rng rng(5);
    const ObservedTensor tensor = test::random_tensor({7, 6, 5}, 60, rng, 1.5);
    std::vector<test::NamedModel> models = test::random_models(tensor, rng);
    first_ = models.front().model;
    second_ = models[1].model;
    cells_ = test::random_cells({7, 6, 5}, 40, rng);
    cells_.add({7, 0, kUnseen});
  }

  Model first_;
  Model second_;
  Cells cells_;
};

TEST_F(BlendOfTwo, PredictsTheWeightedMean) {
  const Model model = blended({.members = {first_, second_}, .weights = {0.25, 0.75}});
  const std::vector<double> blend = Predictor(model).predict(cells_).value;
  const std::vector<double> first = Predictor(first_).predict(cells_).value;
  const std::vector<double> second = Predictor(second_).predict(cells_).value;
  for (std::size_t i = 0; i < blend.size(); ++i)
    EXPECT_DOUBLE_EQ(blend[i], 0.25 * first[i] + 0.75 * second[i]);
  EXPECT_EQ(kind_name(model), "blend");
  EXPECT_EQ(members(model).size(), 2U);
  EXPECT_EQ(members(first_).front(), &first_);
}

TEST_F(BlendOfTwo, IsClippedOnce) {
  Model model = blended({.members = {first_, second_}, .weights = {0.5, 0.5}});
  const std::vector<double> free = Predictor(model).predict(cells_).value;
  model.clip = Range{.low = -0.1, .high = 0.2};
  const std::vector<double> kept = Predictor(model).predict(cells_).value;
  for (std::size_t i = 0; i < kept.size(); ++i) EXPECT_EQ(kept[i], std::clamp(free[i], -0.1, 0.2));
  EXPECT_EQ(Predictor(model).scores(cells_), free);
}

TEST_F(BlendOfTwo, SupportIsThatOfTheBestSupportedMember) {
  const Model model = blended({.members = {first_, second_}, .weights = {0.5, 0.5}});
  const std::vector<Count> blend = Predictor(model).support(cells_);
  const std::vector<Count> first = Predictor(first_).support(cells_);
  const std::vector<Count> second = Predictor(second_).support(cells_);
  for (std::size_t i = 0; i < blend.size(); ++i) EXPECT_EQ(blend[i], std::max(first[i], second[i]));
}

TEST_F(BlendOfTwo, RefusesWeightsThatDoNotFit) {
  EXPECT_THROW((void)blended({.members = {first_}, .weights = {0.5, 0.5}}), std::invalid_argument);
  EXPECT_THROW((void)blended({.members = {first_, second_}, .weights = {1.0, 0.0}}), std::invalid_argument);
  EXPECT_THROW((void)blended({}), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
