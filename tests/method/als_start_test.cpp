// SPDX-License-Identifier: MIT
// Fits of als that begin where another one ended, and the unit of the noise that they find.
#include <gtest/gtest.h>

#include <cmath>
#include <lacuna/method/fit_once.hpp>

#include "method/latent/als.hpp"
#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

const std::vector<Index> kExtents{40, 30, 6};

ObservedTensor noisy_tensor(std::uint64_t seed = 3) {
  Rng rng(seed);
  return test::low_rank_tensor(kExtents, 2, 2500, 0.1, rng);
}

Settings als_settings(const ObservedTensor& tensor, int steps) {
  Settings settings;
  settings.method = Method::kAls;
  settings.latent.parts = *parse_parts("mode1|mode2,mode3 ; mode1|mode2 ; mode3|mode1", tensor.modes());
  settings.ranks = std::vector<int>{4, 3, 2};
  settings.max_iterations = steps;
  settings.tolerance = 0.0;
  settings.offsets = OffsetSpec{.mean = true};
  return settings;
}

double train_rmse(const Model& model, const ObservedTensor& tensor) {
  const std::vector<double> said = Predictor(model).scores(tensor.cells());
  double sum = 0.0;
  for (Count e = 0; e < tensor.size(); ++e) sum += std::pow(said[e] - tensor.values()[e], 2);
  return std::sqrt(sum / static_cast<double>(tensor.size()));
}

TEST(AlsStart, OneSweepFromAnotherFitIsAsGoodAsThatFit) {
  const ObservedTensor tensor = noisy_tensor();
  const FitResult whole = fit_once(tensor, als_settings(tensor, 40));
  const FitResult cold = fit_once(tensor, als_settings(tensor, 2));
  Settings settings = als_settings(tensor, 2);
  settings.warm_start = &whole.model;
  const FitResult warm = fit_once(tensor, settings);
  const double reached = train_rmse(whole.model, tensor);
  EXPECT_GT(train_rmse(cold.model, tensor), 1.5 * reached);
  EXPECT_LT(train_rmse(warm.model, tensor), 1.1 * reached);
  EXPECT_LT(warm.last.objective, cold.last.objective);
}

TEST(AlsStart, ThreadsChangeNoBit) {
  const ObservedTensor tensor = noisy_tensor();
  const FitResult whole = fit_once(tensor, als_settings(tensor, 10));
  Settings settings = als_settings(tensor, 2);
  settings.warm_start = &whole.model;
  std::vector<std::vector<double>> found;
  for (const int threads : {1, 3}) {
    const test::WithThreads guard(threads);
    found.push_back(Predictor(fit_once(tensor, settings).model).scores(tensor.cells()));
  }
  EXPECT_EQ(found[0], found[1]);
}

TEST(AlsStart, AModelOfOtherCellsPartsOrRanksIsLeftAside) {
  const ObservedTensor tensor = noisy_tensor();
  const ObservedTensor other = noisy_tensor(4);
  const FitResult cold = fit_once(tensor, als_settings(tensor, 2));
  const FitResult elsewhere = fit_once(other, als_settings(other, 2));
  Settings small = als_settings(tensor, 2);
  small.ranks = std::vector<int>{4, 2, 2};
  const FitResult smaller = fit_once(tensor, small);
  for (const Model* start : {&elsewhere.model, &smaller.model}) {
    Settings settings = als_settings(tensor, 2);
    settings.warm_start = start;
    EXPECT_EQ(fit_once(tensor, settings).last.objective, cold.last.objective);
  }
}

TEST(AlsStart, TheNoiseHasTheUnitOfTheValues) {
  const ObservedTensor tensor = noisy_tensor();
  const auto noise = [](const FitResult& result) {
    return std::get<double>(*result.model.record.find("noise"));
  };
  const double found = noise(fit_once(tensor, als_settings(tensor, 10)));
  EXPECT_LT(found, 1.0);
  for (const double factor : {1024.0, 1.0 / 4096.0})
    EXPECT_NEAR(noise(fit_once(test::scaled(tensor, factor), als_settings(tensor, 10))), factor * found,
                1e-9 * factor);
}

}  // namespace
}  // namespace lacuna
