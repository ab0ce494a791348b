// SPDX-License-Identifier: MIT
// Ranks that grow by themselves, and ranks that are given while the method is open.
#include <gtest/gtest.h>

#include <lacuna/search/fit.hpp>

#include "base/rng.hpp"
#include "model/body.hpp"
#include "support/latent_tensor.hpp"
#include "support/tucker_tensor.hpp"

namespace lacuna {
namespace {

Settings paper_model() {
  Settings settings{.method = Method::kTrMm, .offsets = OffsetSpec{}, .lambda = 10.0};
  settings.latent.parts = full_structure(3);
  return settings;
}

TEST(GrowingRanks, GoAsFarAsTheDataAsks) {
  const auto data = test::latent_tensor({16, 16, 16}, 5, 0.6, 81);
  Settings fixed = paper_model();
  fixed.ranks = {3};
  const double at_three = *fit(data.train, fixed, {}, &data.test).last.test_rmse;
  const FitResult grown = fit(data.train, paper_model(), {}, &data.test);
  const std::vector<int> found = ranks(grown.model);
  EXPECT_GT(*std::max_element(found.begin(), found.end()), 3);
  EXPECT_LT(*grown.last.test_rmse, 0.8 * at_three);
}

// One candidate has no use for three ranks: the others have.
TEST(GivenRanks, LeaveTheMethodOpen) {
  const auto data = test::tucker_tensor({14, 12, 10}, {2, 2, 2}, 0.3, 82);
  const FitResult result = fit(data.train, {.ranks = {2, 2, 2}}, {}, &data.test);
  EXPECT_LT(*result.last.test_rmse, 0.5 * data.test_norm / std::sqrt(static_cast<double>(data.test.size())));
}

TEST(GivenRanks, ForNoNumberOfModesAreRefusedAtOnce) {
  const auto data = test::tucker_tensor({14, 12, 10}, {2, 2, 2}, 0.3, 82);
  const auto refusal = [&](const Settings& settings) {
    try {
      (void)fit(data.train, settings);
    } catch (const std::invalid_argument& problem) {
      return std::string(problem.what());
    }
    return std::string();
  };
  EXPECT_EQ(refusal({.ranks = {2, 2}}), "got 2 ranks for 3 modes; give one, or one for each mode");
  EXPECT_EQ(refusal({.method = Method::kBayesCp, .ranks = {2, 2, 2}}), "method bayescp has one rank, got 3");
}

}  // namespace
}  // namespace lacuna
