// SPDX-License-Identifier: MIT
// Method edges: its linear algebra against dense matrices, what it is for, and what it shares with near parts.
#include <gtest/gtest.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/search/fit.hpp>

#include "method/field/edge_field.hpp"
#include "support/naive_edge_field.hpp"
#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

PartSpec near_all_but_last(int order, double length, double smoothness = 2.0) {
  PartSpec spec{.mode = order - 1, .agree = {}};
  for (int k = 0; k + 1 < order; ++k) spec.near.push_back({.mode = k, .length = length});
  spec.smoothness = smoothness;
  return spec;
}

void expect_equal(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  double largest = 0.0;
  for (const double value : b) largest = std::max(largest, std::abs(value));
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance * largest) << i;
}

TEST(EdgeField, EqualsItsNaiveTwinWithAndWithoutEdges) {
  constexpr double kLambda = 3.0;
  Rng rng(5);
  const std::vector<std::vector<Index>> shapes = {
      {9, 3}, {7, 5, 3}, {15, 4, 2}, {4, 3, 3, 2}};  // 7 is not quick: it is padded
  for (const std::vector<Index>& extents : shapes)
    for (const double smoothness : {1.0, 2.0}) {
      const ObservedTensor tensor = test::random_tensor(extents, 14, rng);
      const PartSpec part = near_all_but_last(static_cast<int>(extents.size()), 1.7, smoothness);
      Matrix<double> u = Matrix<double>::Zero(extents.back(), 2);  // orthogonal columns
      u << Eigen::MatrixXd::Random(extents.back(), 1), Eigen::MatrixXd::Zero(extents.back(), 1);
      u(0, 1) = u(1, 0);
      u(1, 1) = -u(0, 0);
      EdgeField field(tensor, part);
      test::NaiveField naive(tensor, part, u);
      ASSERT_EQ(field.cells(), naive.cells());
      field.set_factor(u, kLambda);
      std::vector<double> v;
      (void)field.solve(tensor.values(), 1e-12, 1000, {}, v);
      const std::vector<double> plain = naive.solve(kLambda);
      expect_equal(v, plain, 1e-8);
      field.find_edges(v, 0.5);
      naive.find_edges(plain, 0.5);
      (void)field.solve(tensor.values(), 1e-12, 1000, {}, v);
      const std::vector<double> broken = naive.solve(kLambda);
      expect_equal(v, broken, 1e-7);
      EXPECT_GT(std::abs(broken[0] - plain[0]) + std::abs(broken[3] - plain[3]), 1e-6);
    }
}

TEST(EdgeField, IrregularStepsCountByTheirLength) {
  Rng rng(6);
  ObservedTensor tensor = test::random_tensor({3, 2}, 4, rng);
  std::vector<Mode> modes = tensor.modes();
  modes[0].positions = {0.0, 1.0, 3.0};  // the typical step is 1.5
  const Entries entries = test::entries_of(tensor);
  tensor = std::move(ObservedTensor::create(modes, entries).value());
  EdgeField field(tensor, near_all_but_last(2, 1.5));
  const Matrix<double> u = Matrix<double>::Constant(2, 1, 0.5);
  field.set_factor(u, 1.0);
  const auto gram = [&](const std::vector<double>& v) {
    return field.precision_gram(v)(0, 0);
  };                                         // <v, S^2 v> / c
  const double w1 = std::pow(1.5 / 1.0, 2);  // l is one typical step
  const double w2 = std::pow(1.5 / 2.0, 2);
  Eigen::Matrix3d s = Eigen::Matrix3d::Identity();
  s(0, 0) += w1, s(1, 1) += w1 + w2, s(2, 2) += w2;
  s(0, 1) = s(1, 0) = -w1, s(1, 2) = s(2, 1) = -w2;
  const Eigen::Matrix3d k = s * s;
  const double unit = gram({1.0, 1.0, 1.0}) / 3.0;  // S 1 = 1
  EXPECT_NEAR(gram({1.0, 0.0, 0.0}) / unit, k(0, 0), 1e-12 * k(0, 0));
  EXPECT_NEAR(gram({0.0, 0.0, 1.0}) / unit, k(2, 2), 1e-12 * k(2, 2));
}

// Two plateaus with a slanted border between them, of three channels; most cells lost.
struct Plateaus {
  ObservedTensor train;
  Entries test;
};
Plateaus plateaus(double kept, std::uint64_t seed) {
  constexpr Index kSide = 40;
  Rng rng(seed);
  Entries train{.cells = Cells(3), .value = {}};
  Entries test = train;
  for (Index i = 0; i < kSide; ++i)
    for (Index j = 0; j < kSide; ++j) {
      Entries& to = rng.uniform() < kept ? train : test;
      for (Index k = 0; k < 3; ++k) {
        to.cells.add(std::vector<Index>{i, j, k});
        to.value.push_back((2 * i + j < 60 ? 1.0 + k : -1.0) + 0.01 * rng.normal());
      }
    }
  return {std::move(ObservedTensor::create(test::plain_modes({kSide, kSide, 3}), std::move(train)).value()),
          std::move(test)};
}

Settings edges(double contrast, double length = 6.0) {
  Settings settings{.method = Method::kEdges, .lambda = 100.0};
  settings.latent.parts = std::vector<PartOptions>{{.spec = near_all_but_last(3, length)}};
  settings.field.contrast = contrast;
  return settings;
}

// Nobody knows on which side of the border its own cells lie; those beside them should not suffer from that.
TEST(Edges, ABorderBetweenPlateausStaysSharp) {
  const Plateaus data = plateaus(0.2, 7);
  const auto errors = [&](const FitResult& result) {
    const std::vector<double> said = Predictor(result.model).predict(data.test.cells).value;
    EXPECT_NEAR(*result.last.test_rmse, rmse(data.test.value, said), 1e-12);
    return mae(data.test.value, said);
  };
  const double smooth = errors(fit_once(data.train, edges(0.0), {}, &data.test));
  const double sharp = errors(fit_once(data.train, edges(0.5), {}, &data.test));
  EXPECT_LT(sharp, 0.9 * smooth);
}

// Without edges both minimise the same: the near part's trace norm.
TEST(Edges, WithoutEdgesItIsTheNearPartOfProblemD) {
  Rng rng(8);
  const ObservedTensor tensor = test::random_tensor({12, 10, 3}, 150, rng);
  Settings field{.method = Method::kEdges,
                 .offsets = OffsetSpec{},
                 .lambda = 0.5,
                 .max_iterations = 400,
                 .tolerance = 1e-9};
  field.latent.parts = std::vector<PartOptions>{{.spec = near_all_but_last(3, 2.0)}};
  field.field.contrast = 0.0;
  Settings dual = field;
  dual.method = Method::kTrMm;
  dual.field = {};
  dual.ranks = {3};
  dual.tolerance = 1e-8;
  const FitResult a = fit_once(tensor, field);
  const FitResult b = fit_once(tensor, dual);
  const std::vector<double> x = Predictor(a.model).predict(tensor.cells()).value;
  const std::vector<double> y = Predictor(b.model).predict(tensor.cells()).value;
  EXPECT_LT(rmse(x, y), 0.01 * rmse(y, std::vector<double>(y.size(), 0.0)));
}

// A ramp with a hole as wide as half the picture, next to interpolation: what is left of the residual is small long before
// the hole is filled.
TEST(Edges, ALargeHoleIsFilledToItsMiddle) {
  constexpr Index kSide = 48;
  for (const double smoothness : {1.0, 2.0}) {
    Entries train{.cells = Cells(2), .value = {}};
    Entries hole = train;
    for (Index i = 0; i < kSide; ++i)
      for (Index j = 0; j < kSide; ++j) {
        const bool inside = i >= kSide / 4 && i < 3 * kSide / 4 && j >= kSide / 4 && j < 3 * kSide / 4;
        Entries& to = inside ? hole : train;
        to.cells.add({i, j});
        to.value.push_back(10.0 + 0.1 * i);
      }
    const ObservedTensor tensor =
        std::move(ObservedTensor::create(test::plain_modes({kSide, kSide}), std::move(train)).value());
    Settings settings{.method = Method::kEdges, .offsets = OffsetSpec{}, .lambda = 1000.0};
    settings.latent.parts = std::vector<PartOptions>{
        {.spec = {.mode = PartSpec::kNothing,
                  .agree = {},
                  .near = {{.mode = 0, .length = 500.0}, {.mode = 1, .length = 500.0}},
                  .smoothness = smoothness}}};
    settings.field.contrast = 0.0;
    const FitResult result = fit_once(tensor, settings, {}, &hole);
    EXPECT_LT(*result.last.test_rmse, 0.05)
        << smoothness;  // 10 away from 0, which the field would be without entries
  }
}

TEST(Edges, SameBitsAtAnyThreadCount) {
  const Plateaus data = plateaus(0.3, 9);
  std::vector<std::vector<double>> values;
  for (const int threads : {1, 2, 3}) {
    const test::WithThreads these(threads);
    values.push_back(Predictor(fit_once(data.train, edges(2.0)).model).predict(data.test.cells).value);
  }
  EXPECT_EQ(values[0], values[1]);
  EXPECT_EQ(values[0], values[2]);
}

TEST(Edges, ALostLineIsFilledFromItsNeighboursAlsoFromAFile) {
  Plateaus data = plateaus(0.5, 10);
  Entries kept{.cells = Cells(3), .value = {}};
  for (Count e = 0; e < data.train.size(); ++e)
    if (data.train.index(0)[e] != 5) {
      kept.cells.add(data.train.cells(), e);
      kept.value.push_back(data.train.values()[e]);
    }
  const ObservedTensor train = std::move(ObservedTensor::create(data.train.modes(), std::move(kept)).value());
  const FitResult result = fit_once(train, edges(2.0));
  const std::string path = testing::TempDir() + "edges." + std::to_string(getpid()) + ".lac";
  ASSERT_TRUE(save_model(path, result.model));
  const auto loaded = load_model(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(loaded);
  const Cells line = {{5, 5}, {0, 39}, {2, 2}};
  const std::vector<double> said = Predictor(*loaded).predict(line).value;
  EXPECT_NEAR(said[0], 3.0, 0.1);
  EXPECT_NEAR(said[1], 3.0, 0.1);
  EXPECT_EQ(said, Predictor(result.model).predict(line).value);
}

// A mode of one position has no steps whose mean could be taken.
TEST(Edges, AModeOfOnePositionChangesNothing) {
  const std::vector<double> value = {1.0, 1.1, 0.9, 4.0, 4.2, 3.9};
  std::vector<std::vector<double>> said;
  for (const int order : {2, 3}) {
    Entries entries{.cells = Cells(order), .value = value};
    for (Index i = 0; i < 6; ++i) {
      std::vector<Index> cell(static_cast<std::size_t>(order), 0);
      cell[0] = i;
      entries.cells.add(cell);
    }
    std::vector<Index> sizes(static_cast<std::size_t>(order), 1);
    sizes[0] = 6;
    const ObservedTensor tensor =
        std::move(ObservedTensor::create(test::plain_modes(sizes), std::move(entries)).value());
    const FitResult result = fit_once(
        tensor, {.method = Method::kEdges, .offsets = OffsetSpec{}, .lambda = 1.0, .max_iterations = 4});
    EXPECT_TRUE(std::isfinite(result.last.objective));
    said.push_back(Predictor(result.model).predict(tensor.cells()).value);
  }
  for (std::size_t i = 0; i < value.size(); ++i) EXPECT_NEAR(said[0][i], said[1][i], 1e-9);
  EXPECT_LT(rmse(value, said[1]), rmse(value, std::vector<double>(value.size(), 0.0)));
}

TEST(Edges, PartsThatItHasNoFieldForAreRefused) {
  const Plateaus data = plateaus(0.2, 11);
  Settings settings = edges(2.0);
  settings.latent.parts = full_structure(3);
  EXPECT_THROW((void)fit_once(data.train, settings), std::invalid_argument);
  settings.latent.parts = std::vector<PartOptions>{{.spec = {.mode = 2, .agree = {0}, .near = {{1, 3.0}}}}};
  EXPECT_THROW((void)fit_once(data.train, settings), std::invalid_argument);
  settings.latent.parts = std::vector<PartOptions>{{.spec = near_all_but_last(3, 3.0, 1.5)}};
  EXPECT_THROW((void)fit_once(data.train, settings), std::invalid_argument);
  Rng rng(13);
  const ObservedTensor many = test::random_tensor(std::vector<Index>(10, 2), 30, rng);
  EXPECT_THROW(EdgeField(many, near_all_but_last(10, 3.0)), std::invalid_argument);
}

TEST(Edges, AreChosenWhereValuesJump) {
  const Plateaus data = plateaus(0.25, 12);
  double edges = 1e300;
  double others = 1e300;
  FitCallbacks callbacks;
  callbacks.notice = [&](const std::string& sentence) {
    const std::size_t at = sentence.find("RMSE ");
    if (sentence.find("  ") == std::string::npos || at == std::string::npos) return;
    double& lowest = sentence.find("edges") != std::string::npos ? edges : others;
    lowest = std::min(lowest, std::stod(sentence.substr(at + 5)));
  };
  const FitResult result = fit(data.train, {.search = {.blend = 1}}, callbacks);
  EXPECT_LT(edges, 1e299);
  EXPECT_EQ(kind_name(result.model) == "dense", edges < others);
}

}  // namespace
}  // namespace lacuna
