// SPDX-License-Identifier: MIT
#include "model/value_kind.hpp"

#include <gtest/gtest.h>

#include <vector>

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

TEST(ValueKind, SaysWhatValuesAreMultiplesOf) {
  EXPECT_EQ(value_step(model_of({1, 2, 5})), 1.0);
  EXPECT_EQ(value_step(model_of({0.5, 2, 5})), 0.5);
  EXPECT_EQ(value_step(model_of({0.1, 2, 5})), std::nullopt);
  EXPECT_EQ(value_step(Model{}), std::nullopt);
}

}  // namespace
}  // namespace lacuna
