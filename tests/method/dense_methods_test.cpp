// SPDX-License-Identifier: MIT
// The methods that hold every cell: the step that is kept, and singular values that are not shrunk.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/method/fit_once.hpp>
#include <limits>

#include "support/tucker_tensor.hpp"

namespace lacuna {
namespace {

// Every other cell, with noise: an exact fit of it is not the best prediction of the rest.
test::LatentSplit noisy_split() {
  test::LatentSplit split = test::tucker_tensor({14, 12, 8}, {2, 2, 2}, 0.5, 71);
  Rng rng(72);
  std::vector<double> values(split.train.values().begin(), split.train.values().end());
  const double size = split.test_norm / std::sqrt(static_cast<double>(split.test.size()));
  for (double& value : values) value += size * rng.normal();
  split.train.replace_values(std::move(values));
  return split;
}

class DenseMethod : public testing::TestWithParam<Settings> {};

TEST_P(DenseMethod, KeepsTheStepOfLowestTestError) {
  const test::LatentSplit split = noisy_split();
  Settings options = GetParam();
  double lowest = std::numeric_limits<double>::infinity();
  FitCallbacks callbacks;
  callbacks.progress = [&](const FitProgress& progress) {
    lowest = std::min(lowest, progress.test_error());
    return Flow::kContinue;
  };
  const FitResult last = fit_once(split.train, options, callbacks, &split.test);
  options.search.keep_best = true;
  const FitResult best = fit_once(split.train, options, callbacks, &split.test);
  const double error = rmse(split.test.value, Predictor(best.model).predict(split.test.cells).value);
  EXPECT_NEAR(error, *best.last.test_rmse, 1e-12 * error);
  const double as_good = 1.0 + 0.5 / std::sqrt(2.0 * static_cast<double>(split.test.size()));
  EXPECT_LE(error, as_good * lowest);
  EXPECT_LE(error, *last.last.test_rmse * as_good);
  EXPECT_LE(best.last.iteration, last.last.iteration);
}

INSTANTIATE_TEST_SUITE_P(Methods, DenseMethod,
                         testing::Values(Settings{.method = Method::kHalrtc},
                                         Settings{.method = Method::kHalrtc, .dense = {.unshrunk = 0.15}},
                                         Settings{.method = Method::kHard},
                                         Settings{.method = Method::kLatent},
                                         Settings{.method = Method::kTsvd}),
                         [](const auto& tested) {
                           return std::string(name(*tested.param.method)) +
                                  (tested.param.dense.unshrunk.given() ? "Unshrunk" : "");
                         });

// A fifth of the cells of a tensor of rank (2, 2, 2), its two values of each unfolding not shrunk: they cost
// nothing, so the tensor itself is a minimiser.
TEST(Halrtc, UnshrunkValuesRecoverATensorThatTheNormDoesNot) {
  const test::LatentSplit split = test::tucker_tensor({16, 14, 12}, {2, 2, 2}, 0.2, 73);
  Settings options{.method = Method::kHalrtc, .max_iterations = 2000, .tolerance = 1e-7};
  const auto error = [&] {
    const FitResult result = fit_once(split.train, options, {}, &split.test);
    EXPECT_TRUE(result.converged);
    return *result.last.test_rmse * std::sqrt(static_cast<double>(split.test.size())) / split.test_norm;
  };
  const double plain = error();
  options.dense.unshrunk = 2.0 / 16;
  EXPECT_LT(error(), 1e-2 * plain);
}

TEST(Halrtc, RefusesAShareThatIsNone) {
  for (const double share : {-0.1, 1.0, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_THROW(
        (void)fit_once(noisy_split().train, {.method = Method::kHalrtc, .dense = {.unshrunk = share}}),
        std::invalid_argument);
  EXPECT_THROW((void)fit_once(noisy_split().train, {.method = Method::kHard, .dense = {.unshrunk = 0.1}}),
               std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
