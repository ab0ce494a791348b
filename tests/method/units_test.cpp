// SPDX-License-Identifier: MIT
// The unit of the data is nobody's business: values c times as large give predictions c times as large, at
// the same lambda, whatever c is.
#include <gtest/gtest.h>

#include <cmath>
#include <lacuna/method/fit_once.hpp>

#include "support/latent_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

struct Setting {
  const char* name;
  Settings options;
};

std::vector<Setting> settings() {
  std::vector<PartOptions> marginal = full_structure(3);
  marginal.push_back({.spec = {.mode = 0, .agree = {1}, .row_power = 0.5, .fiber_power = 0.5}});
  marginal.push_back({.spec = {.mode = 1, .agree = {2}}});
  std::vector<Setting> list;
  for (const Method method : {Method::kTrMm, Method::kTrLs})
    for (const Precision precision : {Precision::kDouble, Precision::kFloat})
      for (const bool structure : {false, true}) {
        Settings options{.method = method,
                         .ranks = {2},
                         .lambda = 5.0,
                         .max_iterations = 12,
                         .latent = {.precision = precision}};
        if (structure) {
          options.latent.parts = marginal;
          options.offsets = OffsetSpec{.mean = true, .effects = {{0}, {2}, {1, 2}}};
        }
        const bool exact = precision == Precision::kDouble;
        const char* name = method == Method::kTrMm ? (exact ? (structure ? "TrMmWithAll" : "TrMm")
                                                            : (structure ? "FloatTrMmWithAll" : "FloatTrMm"))
                                                   : (exact ? (structure ? "TrLsWithAll" : "TrLs")
                                                            : (structure ? "FloatTrLsWithAll" : "FloatTrLs"));
        list.push_back({name, options});
      }
  list.push_back({"NonlinearCg",
                  {.ranks = {2}, .max_iterations = 12, .latent = {.optimizer = Optimizer::kNonlinearCg}}});
  list.push_back({"Path", {.ranks = {2}, .lambda = 2000.0, .max_iterations = 5}});
  return list;
}

class Units : public testing::TestWithParam<Setting> {
 protected:
  std::vector<double> predictions(double factor) const {
    Rng rng(801);
    const ObservedTensor data = test::low_rank_tensor({10, 9, 8}, 2, 250, 0.2, rng);
    const FitResult result = fit_once(test::scaled(data, factor), options_);
    Rng cells(802);
    return Predictor(result.model).predict(test::random_cells({10, 9, 8}, 300, cells)).value;
  }
  test::WithThreads one_{1};
  Settings options_ = GetParam().options;
};

double size_of(const std::vector<double>& values) {
  double largest = 0.0;
  for (const double value : values) largest = std::max(largest, std::abs(value));
  return largest;
}

TEST_P(Units, APowerOfTwoChangesNoBit) {
  const std::vector<double> base = predictions(1.0);
  ASSERT_GT(size_of(base), 0.1);
  for (const double factor : {std::ldexp(1.0, -40), std::ldexp(1.0, 40)}) {
    std::vector<double> other = predictions(factor);
    for (double& value : other) value /= factor;
    EXPECT_TRUE(test::same_bits<double>(other, base)) << factor;
  }
}

TEST_P(Units, AnyFactorScalesThePredictions) {
  // Rounding the values to begin with is a change of one part in 1e16, or 1e7 in single precision. Iterations
  // that end early make it larger, by ten digits for the solve that TR-LS starts from; at TR-MM's minimum it
  // is small again.
  const bool exact = options_.latent.precision == Precision::kDouble;
  const bool dual = options_.method == Method::kTrMm;
  options_.tolerance = 1e-9;
  options_.max_iterations = dual ? 300 : 2;
  options_.search.early_stop = 0.0;
  const double relative = exact ? (dual ? 1e-6 : 1e-5) : 1e-2;
  const std::vector<double> base = predictions(1.0);
  for (const double factor : {1e-12, 1e-6, 1e6, 1e12}) {
    const std::vector<double> other = predictions(factor);
    for (std::size_t i = 0; i < base.size(); ++i)
      ASSERT_NEAR(other[i] / factor, base[i], relative * size_of(base)) << factor << " at " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Settings, Units, testing::ValuesIn(settings()),
                         [](const testing::TestParamInfo<Setting>& tested) { return tested.param.name; });

}  // namespace
}  // namespace lacuna
