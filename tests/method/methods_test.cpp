// SPDX-License-Identifier: MIT
// The table of methods, and the two that are nothing but offsets.
#include <gtest/gtest.h>

#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/search/fit.hpp>
#include <limits>
#include <set>
#include <string>

#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

TEST(Methods, NamesAreReadBackAndDiffer) {
  std::set<std::string_view> names;
  for (const MethodInfo& row : methods()) {
    EXPECT_EQ(parse_method(row.name), row.method);
    EXPECT_EQ(name(row.method), row.name);
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_FALSE(row.what.empty());
    EXPECT_FALSE(row.assumes.empty());
  }
  EXPECT_FALSE(parse_method("no such thing"));
}

TEST(Methods, DefaultsAreTheMethods) {
  EXPECT_EQ(*settled({}, 3).max_iterations, info(Method::kTrMm).max_iterations);
  EXPECT_EQ(*settled({.max_iterations = 7}, 3).max_iterations, 7);
  EXPECT_EQ(*settled({.tolerance = 0.0}, 3).tolerance, 0.0);
}

TEST(Methods, AnUnknownOneHasNoRow) {
  EXPECT_THROW((void)info(static_cast<Method>(99)), std::invalid_argument);
}

TEST(Methods, SettingsOfOtherMethodsAreRefused) {
  EXPECT_THROW((void)settled({.method = Method::kMean, .ranks = {3}}, 3), std::invalid_argument);
  EXPECT_THROW((void)settled({.method = Method::kOffsets, .lambda = 3.0}, 3), std::invalid_argument);
  EXPECT_THROW((void)settled({.method = Method::kOffsets, .latent = {.parts = full_structure(3)}}, 3),
               std::invalid_argument);
  // Even when the value is the one that another method would have by default.
  EXPECT_THROW((void)settled({.method = Method::kHalrtc, .lambda = Settings::kDefaultLambda}, 3),
               std::invalid_argument);
  EXPECT_THROW((void)settled({.method = Method::kMean, .loss = Loss::kSquared}, 3), std::invalid_argument);
  EXPECT_THROW((void)settled({.tolerance = std::nan("")}, 3), std::invalid_argument);
}

// Whoever sets a member in place of reading text is held to the same row of the table.
TEST(Methods, ValuesOutOfBoundsAreRefusedByTheirRow) {
  const auto refused = [](const Settings& settings, const std::string& sentence) {
    try {
      (void)settled(settings, 3);
      ADD_FAILURE() << sentence;
    } catch (const std::invalid_argument& problem) {
      EXPECT_EQ(problem.what(), sentence);
    }
  };
  const double infinite = std::numeric_limits<double>::infinity();
  Settings path{.method = Method::kTrMm};
  path.latent.path = 13;
  refused(path, "path must be auto or 0 to 12");
  Settings gap{.method = Method::kTrMm};
  gap.latent.certified_gap = 0.0;
  refused(gap, "gap must be a number > 0");
  Settings lambdas{.method = Method::kTrMm};
  lambdas.latent.lambdas = std::vector<double>{1.0, -1.0, 1.0};
  refused(lambdas, "lambdas must be numbers > 0, one for each part");
  Settings contrast{.method = Method::kEdges};
  contrast.field.contrast = -1.0;
  refused(contrast, "contrast must be auto or a number >= 0");
  refused({.method = Method::kTrMm, .lambda = infinite}, "lambda must be auto or a number > 0");
  refused({.method = Method::kTrMm, .ranks = {2, 0, 2}},
          "rank must be auto, certified or numbers > 0 such as 4,4,3");
  refused({.method = Method::kTrMm, .max_time = -1.0},
          "max-time must be seconds, a number >= 0 (0: no limit)");
}

TEST(Methods, MeanAndOffsetsPredictThem) {
  Rng rng(41);
  const ObservedTensor tensor = test::random_tensor({8, 7, 6}, 120, rng);
  const Entries entries = test::entries_of(tensor);
  const FitResult mean = fit_once(tensor, {.method = Method::kMean}, {}, &entries);
  EXPECT_TRUE(mean.converged);
  EXPECT_EQ(Predictor(mean.model).predict({{0}, {0}, {0}}).value[0], tensor.mean());
  EXPECT_NEAR(*mean.last.test_rmse, mean.last.train_rmse, 1e-12);

  const FitResult modes = fit_once(tensor, {.method = Method::kOffsets}, {}, &entries);
  EXPECT_EQ(modes.model.offsets.effects.size(), 3U);
  EXPECT_LE(*modes.last.test_rmse, *mean.last.test_rmse);
  EXPECT_EQ(Predictor(modes.model).predict(tensor.cells()).value,
            fit_offsets(tensor, {.mean = true, .effects = {{0}, {1}, {2}}}).at(tensor.cells()));

  const FitResult chosen = fit(tensor, {.method = Method::kOffsets});
  EXPECT_TRUE(chosen.model.offsets.mean != 0.0);
}

}  // namespace
}  // namespace lacuna
