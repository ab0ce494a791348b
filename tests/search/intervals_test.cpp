// SPDX-License-Identifier: MIT
// Intervals hold as many values as they promise, also where how well a cell is supported says little of its error.
#include "evaluate/intervals.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <lacuna/search/fit.hpp>

#include "base/rng.hpp"
#include "support/random_tensor.hpp"

namespace lacuna {
namespace {

// A smooth surface with noise that is ten times as large at its borders as in the middle. Long near parts support a
// cell by hundreds of entries, all of which are fewer when some are held out.
TEST(Intervals, HoldWhatTheyPromiseWhereSupportIsLarge) {
  constexpr Index kSide = 160;
  constexpr double kKept = 0.5;
  Rng rng(31);
  Entries train{.cells = Cells(2), .value = {}};
  Entries test = train;
  for (Index i = 0; i < kSide; ++i)
    for (Index j = 0; j < kSide; ++j) {
      const double x = (i + 0.5) / kSide - 0.5;
      const double y = (j + 0.5) / kSide - 0.5;
      const double noise = 0.1 + 0.9 * std::pow(2.0 * std::max(std::abs(x), std::abs(y)), 4);
      Entries& to = rng.uniform() < kKept ? train : test;
      to.cells.add({i, j});
      to.value.push_back(std::sin(4.0 * x) + y + noise * rng.normal());
    }
  const ObservedTensor tensor =
      std::move(ObservedTensor::create(test::plain_modes({kSide, kSide}), std::move(train)).value());
  Settings settings{.method = Method::kTrMm, .offsets = OffsetSpec{.mean = true}, .lambda = 1.0};
  settings.latent.parts = std::vector<PartOptions>{
      {.spec = {.mode = PartSpec::kNothing, .agree = {}, .near = {{0, 20.0}, {1, 20.0}}}}};
  settings.search.calibrate = 0.05;
  const FitResult result = fit(tensor, settings);
  const Predictor predictor(result.model);
  const std::vector<double> predicted = predictor.predict(test.cells).value;
  const std::vector<Count> support = predictor.support(test.cells);
  for (const double level : {0.5, 0.9}) {
    const Coverage found = coverage(result.model.calibration, test.value, predicted, support, level);
    EXPECT_NEAR(found.share, level, 0.03) << level;  // three standard errors of 2,560 residuals at 0.5
  }
}

}  // namespace
}  // namespace lacuna
