// SPDX-License-Identifier: MIT
// Estimates of memory count the ranks that can occur.
#include "method/costs.hpp"

#include <gtest/gtest.h>

#include <lacuna/base/memory_error.hpp>
#include <lacuna/method/fit_once.hpp>
#include <limits>

#include "method/rank_limits.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

constexpr Count kEntries = 100000;
const std::vector<Mode> kModes = test::plain_modes({4000, 3000, 200});

double bytes(const Settings& settings) { return info(*settings.method).bytes(kEntries, kModes, settings); }

TEST(Costs, AnOpenRankCountsAsTheLargestThatCanOccur) {
  Settings settings{.method = Method::kTrMm, .latent = {.parts = full_structure(3)}};
  const double open = bytes(settings);
  settings.ranks = {kLargestGrownRank};
  EXPECT_EQ(open, bytes(settings));
  for (const auto& [method, rank] :
       {std::pair{Method::kBayesCp, kBayesCpStartRank}, std::pair{Method::kAls, kAlsRank},
        std::pair{Method::kGeomCg, largest_tucker_rank(3)}})
    EXPECT_EQ(bytes({.method = method}), bytes({.method = method, .ranks = {rank}})) << name(method);
}

TEST(Costs, LargerRanksNeedMoreUpToTheSizesOfTheModes) {
  for (const MethodInfo& method : methods()) {
    if (!takes(method.method, kTakesRank)) continue;
    EXPECT_LT(bytes({.method = method.method, .ranks = {5}}), bytes({.method = method.method, .ranks = {40}}))
        << method.name;
  }
  EXPECT_EQ(bytes({.method = Method::kTrMm, .ranks = {5, 5, 200}}),
            bytes({.method = Method::kTrMm, .ranks = {5, 5, 100000}}));
}

TEST(Costs, RanksOfSinglePartsCount) {
  Settings settings{.method = Method::kTrMm, .ranks = {5}, .latent = {.parts = full_structure(3)}};
  const double plain = bytes(settings);
  settings.latent.parts->front().rank = 100;
  EXPECT_GT(bytes(settings), plain + 8.0 * 95 * 4000);
  settings.latent.parts->front().rank = 0;
  settings.ranks = {100, 5, 5};
  EXPECT_GT(bytes(settings), plain + 8.0 * 95 * 4000);
}

TEST(Costs, GridsOfNearPartsCount) {
  Settings settings{.method = Method::kTrMm, .ranks = {5}};
  settings.latent.parts = std::vector<PartOptions>{{.spec = {.mode = 2, .agree = {0, 1}}}};
  const double plain = bytes(settings);
  settings.latent.parts = std::vector<PartOptions>{
      {.spec = {.mode = 2, .agree = {}, .near = {{0, 8.0}, {1, 8.0}}, .smoothness = 1.5}}};
  EXPECT_GT(bytes(settings), plain + 8.0 * 4000 * 3000);
}

TEST(Costs, TheCoreOfATuckerTensorBoundsItsRank) {
  EXPECT_EQ(largest_tucker_rank(2), kLargestGrownRank);
  EXPECT_EQ(largest_tucker_rank(3), kLargestGrownRank);
  EXPECT_EQ(largest_tucker_rank(4), 32);
  for (int order = 4; order <= 8; ++order)
    EXPECT_LE(std::pow(2.0 * largest_tucker_rank(order), order), 1.01 * (1 << 24)) << order;
}

// Where no parts are said, it begins with one for a pair of modes: what the paper's parts would take is not asked for.
TEST(Costs, AlsWithOpenPartsIsWhatItsFirstTrialsTake) {
  const double open = bytes({.method = Method::kAls});
  double least = std::numeric_limits<double>::infinity();
  for (int a = 0; a < 3; ++a)
    for (int b = a + 1; b < 3; ++b) {
      Settings pair{.method = Method::kAls};
      pair.latent.parts = std::vector<PartOptions>{{.spec = {.mode = a, .agree = {b}}}};
      least = std::min(least, bytes(pair));
    }
  EXPECT_EQ(open, least);
  Settings full{.method = Method::kAls};
  full.latent.parts = full_structure(3);
  EXPECT_LT(open, 0.5 * bytes(full));
}

// A fit says before it takes any memory that there is not enough, whoever asks for it.
TEST(Costs, AFitThatIsTooLargeIsRefusedByTheLibrary) {
  const std::vector<Mode> modes = test::plain_modes({100000, 100000, 100000});
  const auto tensor = ObservedTensor::create(modes, {.cells = {{0, 5}, {1, 6}, {2, 7}}, .value = {1.0, 2.0}});
  try {
    (void)fit_once(*tensor, {.method = Method::kHalrtc});
    FAIL() << "it was taken on";
  } catch (const MemoryError& error) {
    EXPECT_EQ(std::string(error.what()).find("this fit needs about "), 0U) << error.what();
  }
  EXPECT_THROW((void)fit_once(*tensor, {.method = Method::kHard}), std::bad_alloc);  // which it is, too
}

}  // namespace
}  // namespace lacuna
