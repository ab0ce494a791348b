// SPDX-License-Identifier: MIT
#include "method/unit_scale.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/method/fit_once.hpp>

#include "model/body.hpp"
#include "support/latent_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::LatentSplit;
using test::same_bits;

LatentSplit small_split() { return test::latent_tensor({7, 6, 5}, 1, 0.7, 91); }

Entries scaled(Entries entries, double factor) {
  for (double& value : entries.value) value *= factor;
  return entries;
}

class EveryMethod : public testing::TestWithParam<MethodInfo> {
 protected:
  [[nodiscard]] Settings options() const {
    Settings options{.method = GetParam().method};
    if ((GetParam().settings & kTakesRank) != 0) options.ranks = {2};
    if ((GetParam().settings & kTakesSteps) != 0) options.max_iterations = 6;
    options.offsets = OffsetSpec{.mean = true, .effects = {}};
    if (GetParam().method != Method::kMean) options.offsets->effects = {{0}, {1, 2}};
    return options;
  }
  [[nodiscard]] FitResult fitted(double factor, const Model* warm = nullptr) const {
    const LatentSplit split = small_split();
    const Entries test = scaled(split.test, factor);
    Settings wanted = options();
    wanted.warm_start = warm;
    wanted.clip = Clip::to_observed();
    return fit_once(test::scaled(split.train, factor), wanted, {}, &test);
  }
  [[nodiscard]] static std::vector<double> predictions(const FitResult& result) {
    return Predictor(result.model).predict(small_split().test.cells).value;
  }
  test::WithThreads one_{1};
};

// 2^480 is about 3e144: squares are still numbers, fourth powers are not.
constexpr int kFarExponents[] = {-480, -2, 480};

TEST_P(EveryMethod, TellsTheSameInAnyUnitThatIsAPowerOfFour) {
  const FitResult base = fitted(1.0);
  const UnitPowers powers = unit_powers(GetParam().method);
  for (const int exponent : kFarExponents) {
    const FitResult other = fitted(std::ldexp(1.0, exponent));
    std::vector<double> back = predictions(other);
    for (double& value : back) value = std::ldexp(value, -exponent);
    EXPECT_TRUE(same_bits<double>(back, predictions(base))) << exponent;
    EXPECT_EQ(other.last.iteration, base.last.iteration);
    EXPECT_EQ(std::ldexp(other.last.objective, -powers.objective * exponent), base.last.objective);
    EXPECT_EQ(std::ldexp(other.last.gradient_norm, -powers.gradient * exponent), base.last.gradient_norm);
    EXPECT_EQ(std::ldexp(other.last.train_rmse, -exponent), base.last.train_rmse);
    EXPECT_EQ(std::ldexp(*other.last.test_rmse, -exponent), *base.last.test_rmse);
    EXPECT_EQ(other.mixture, base.mixture);
    ASSERT_EQ(other.certificate.has_value(), base.certificate.has_value());
    if (!base.certificate) continue;
    EXPECT_EQ(other.certificate->gap(), base.certificate->gap());
    EXPECT_EQ(std::ldexp(other.certificate->upper, -2 * exponent), base.certificate->upper);
    EXPECT_EQ(std::ldexp(other.certificate->parts[0].most, -2 * exponent), base.certificate->parts[0].most);
  }
}

TEST_P(EveryMethod, GoesOnFromAModelInTheUsersUnit) {
  if ((GetParam().settings & kTakesInit) == 0) GTEST_SKIP() << "takes no model to start from";
  const FitResult first = fitted(1.0);
  const std::vector<double> base = predictions(fitted(1.0, &first.model));
  for (const int exponent : kFarExponents) {
    const double factor = std::ldexp(1.0, exponent);
    const FitResult same = fitted(factor);
    std::vector<double> back = predictions(fitted(factor, &same.model));
    for (double& value : back) value = std::ldexp(value, -exponent);
    EXPECT_TRUE(same_bits<double>(back, base)) << exponent;
  }
}

TEST_P(EveryMethod, RefusesValuesWhoseSquaresAreNoNumbers) {
  for (const double factor : {1e300, 1e-200}) EXPECT_THROW((void)fitted(factor), ValueRangeError) << factor;
}

std::vector<MethodInfo> methods_of_numbers() {  // links have no unit: complex_test.cpp
  std::vector<MethodInfo> list;
  for (const MethodInfo& row : methods())
    if (row.method != Method::kComplEx) list.push_back(row);
  return list;
}

INSTANTIATE_TEST_SUITE_P(Methods, EveryMethod, testing::ValuesIn(methods_of_numbers()),
                         [](const auto& tested) {
                           std::string name(tested.param.name);
                           std::erase(name, '-');
                           return name;
                         });

TEST(UnitScale, RootMeanSquareIsBetweenOneAndFour) {
  for (const double factor : {1e-140, 1e-3, 0.3, 1.0, 1.9, 3.7, 255.0, 1e140}) {
    ObservedTensor tensor = test::scaled(small_split().train, factor);
    const UnitScale unit(tensor);
    EXPECT_EQ(unit.exponent() % 2, 0);
    unit.scale(tensor);
    double squares = 0.0;
    for (const double value : tensor.values()) squares += value * value;
    const double root = std::sqrt(squares / static_cast<double>(tensor.size()));
    EXPECT_GE(root, 1.0) << factor;
    EXPECT_LT(root, 4.0) << factor;
  }
}

TEST(UnitScale, ValuesThatAreAllZeroStayAsTheyAre) {
  EXPECT_EQ(UnitScale(test::scaled(small_split().train, 0.0)).exponent(), 0);
}

TEST(UnitScale, CpVariancesScaleWithTheSquareAndComeBackBitForBit) {
  Rng rng(92);
  Model model;
  model.modes = test::plain_modes({4, 3, 5});
  Cp cp{.factors = {}, .covariance = {}, .noise_precision = 3.0};
  for (const Index extent : {4, 3, 5}) {
    cp.factors.push_back(test::random_matrix<double>(extent, 2, rng));
    Matrix<double> covariance(extent, 4);
    for (Eigen::Index i = 0; i < covariance.rows(); ++i) covariance.row(i) << 0.2, 0.05, 0.05, 0.3;
    cp.covariance.push_back(covariance);
  }
  model.body = ModelBody(cp);
  const Cells cells = {{0, 3}, {2, 1}, {4, 0}};
  const std::vector<double> before = Predictor(model).variance(cells);
  for (const double value : {1e-9, 7e11}) {
    const UnitScale unit(test::scaled(small_split().train, value));
    const Model there = unit.scaled(model);
    const std::vector<double> after = Predictor(there).variance(cells);
    for (std::size_t i = 0; i < after.size(); ++i) EXPECT_EQ(unit.restored(after[i], 2), before[i]);
    Model back = there;
    unit.restore(back);
    const Cp& same = std::get<Cp>(*back.body);
    for (std::size_t k = 0; k < 3; ++k) {
      EXPECT_EQ(same.factors[k], cp.factors[k]);
      EXPECT_EQ(same.covariance[k], cp.covariance[k]);
    }
    EXPECT_EQ(same.noise_precision, cp.noise_precision);
  }
}

TEST(UnitScale, AModelThatIsNotFiniteIsRefused) {
  const UnitScale unit(small_split().train);
  for (const ModelBody& body :
       {ModelBody(Dense{{1.0, std::nan("")}}),
        ModelBody(Cp{.factors = {Matrix<double>::Constant(1, 1, INFINITY)}}),
        ModelBody(Tucker{.core = Eigen::VectorXd::Constant(1, INFINITY), .factors = {}})}) {
    Model model;
    model.body = body;
    EXPECT_THROW(unit.restore(model), ValueRangeError);
  }
}

TEST(Certify, IsTheSameInAnyUnit) {
  const Settings options{.method = Method::kTrMm, .ranks = {2}, .max_iterations = 5};
  const ObservedTensor train = small_split().train;
  const Certificate base = certify(fit_once(train, options).model, train);
  EXPECT_GT(base.gap(), 0.0);
  for (const int exponent : kFarExponents) {
    const ObservedTensor other = test::scaled(train, std::ldexp(1.0, exponent));
    const Certificate found = certify(fit_once(other, options).model, other);
    EXPECT_EQ(found.gap(), base.gap()) << exponent;
    EXPECT_EQ(std::ldexp(found.lower, -2 * exponent), base.lower) << exponent;
  }
  EXPECT_THROW((void)certify(fit_once(train, options).model, test::scaled(train, 1e300)), ValueRangeError);
}

}  // namespace
}  // namespace lacuna
