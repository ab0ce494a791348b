// SPDX-License-Identifier: MIT
// The search uses what is known of positions where it helps, and says so where it does not.
#include "search/side.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <lacuna/evaluate/evaluate.hpp>

#include "model/body.hpp"
#include "search/holes.hpp"
#include "support/cold_data.hpp"

namespace lacuna {
namespace {

using test::ColdData;

bool uses_side(const Model& model) {
  return model.latent() != nullptr &&
         std::any_of(model.latent()->parts.begin(), model.latent()->parts.end(),
                     [](const ModelPart& part) { return part.modes.side > 0.0; });
}

struct Chosen {
  FitResult result;
  std::string told;
};

Chosen choose(const ObservedTensor& tensor, const Settings& settings) {
  Chosen chosen;
  FitCallbacks callbacks;
  callbacks.notice = [&](const std::string& sentence) { chosen.told += sentence + "\n"; };
  chosen.result = fit(tensor, settings, callbacks);
  return chosen;
}

Settings quick(Method method) {
  Settings settings;
  settings.method = method;
  settings.search.effort = Effort::kLow;
  if (method == Method::kTrMm) settings.ranks = {4};
  return settings;
}

TEST(ChooseSide, UsesItWhereItHelps) {
  const ColdData data = test::cold_data({.extents = {150, 60}, .observed = 0.2, .cold = 30}, 780);
  for (const Method method : {Method::kAls, Method::kTrMm}) {
    const Chosen chosen = choose(data.train, quick(method));
    EXPECT_TRUE(uses_side(chosen.result.model)) << chosen.told;
    EXPECT_NE(chosen.told.find("what is known of mode1 helps"), std::string::npos) << chosen.told;
    const auto predicted = Predictor(chosen.result.model).predict(data.of_cold.cells).value;
    EXPECT_LT(rmse(data.of_cold.value, predicted), 1.1) << chosen.told;  // without it: about 1.75
  }
}

TEST(ChooseSide, SaysSoWhereItDoesNot) {
  const ColdData data =
      test::cold_data({.extents = {150, 60}, .observed = 0.3, .own = 1.0, .told = 0.0}, 781);
  const Chosen chosen = choose(data.train, quick(Method::kTrMm));
  EXPECT_FALSE(uses_side(chosen.result.model)) << chosen.told;
  EXPECT_NE(chosen.told.find("does not help"), std::string::npos) << chosen.told;
}

TEST(ChooseSide, KeepsThePartsThatAreGiven) {
  const ColdData data = test::cold_data({}, 782);
  Settings settings = quick(Method::kTrMm);
  settings.latent.parts = std::vector<PartOptions>{{.spec = {.mode = 0, .agree = {1}, .side = 0.25}}};
  const Chosen chosen = choose(data.train, settings);
  EXPECT_EQ(chosen.result.model.latent()->parts[0].modes.side, 0.25);
}

TEST(ChooseSide, HoldsOutWholePositionsWhereSomeHaveNoEntries) {
  const ColdData data = test::cold_data({.extents = {400, 500}, .observed = 0.04, .cold = 100}, 783);
  const auto without_entries = [](const ObservedTensor& kept, const Entries& held) {
    std::vector<bool> seen(kept.extent(0), false);
    for (const Index i : kept.index(0)) seen[i] = true;
    return std::count_if(held.cells[0].begin(), held.cells[0].end(), [&](Index i) { return !seen[i]; });
  };
  const auto split = hold_out_like_holes(data.train, 0.1, 1);
  ASSERT_TRUE(split);
  const double cold = static_cast<double>(without_entries(split->kept, split->held)) /
                      static_cast<double>(split->held.size());
  EXPECT_NEAR(cold, 0.25, 0.05);  // as many as have none in the file
  const auto plain = hold_out_like_holes(test::without_side(data.train), 0.1, 1);
  EXPECT_EQ(without_entries(plain->kept, plain->held), 0);
}

}  // namespace
}  // namespace lacuna
