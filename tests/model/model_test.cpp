// SPDX-License-Identifier: MIT
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/model/model.hpp>

#include "kernels/fiber_products.hpp"
#include "model/body.hpp"
#include "support/naive.hpp"
#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::cell_of;
using test::random_matrix;
using test::random_tensor;

constexpr double kRounding = 1e-11;  // sums of at most a few hundred products of order one

Model random_model(const std::vector<Index>& extents, Count entries, std::vector<PartSpec> parts, Rng& rng) {
  Model model;
  model.method = "tr-mm";
  model.version = "0";
  model.offsets.mean = 0.75;
  model.modes = test::plain_modes(extents);
  Latent& latent = model.body->emplace<Latent>();
  latent.dual = random_tensor(extents, entries, rng, 1.5);
  for (PartSpec& part : parts) {
    const auto rows = static_cast<Eigen::Index>(extents[part.mode]);
    latent.parts.push_back({.modes = part,
                            .lambda = 0.5 + rng.uniform(),
                            .factor = random_matrix<double>(rows, 1 + static_cast<int>(rng.below(4)), rng)});
  }
  return model;
}

// lambda B D_cell u_cell . sum_{e on the cell's fiber} z_e D_e u_e, entry by entry; see support/naive.hpp for
// D and B.
double naive_part(const Latent& model, const ModelPart& part, const std::vector<Index>& cell) {
  const test::NaivePart naive(model.dual, part.modes);
  const Index cell_row = cell[part.modes.mode];
  double sum = 0.0;
  for (std::size_t c = 0; c < naive.fibers().size(); ++c)
    for (const Count e : naive.fibers()[c]) {
      bool same = true;
      for (const int mode : part.modes.agree) same = same && model.dual.index(mode)[e] == cell[mode];
      if (same)
        sum += naive.fiber_scale(c) * naive.row_scale(cell_row) * naive.row_scale(naive.row(e)) *
               model.dual.values()[e] * part.factor.row(naive.row(e)).dot(part.factor.row(cell_row));
    }
  return part.lambda * sum;
}

std::vector<PartSpec> full_and_marginal(int order) {
  std::vector<PartSpec> parts = full_parts(order);
  parts.push_back({.mode = 0, .agree = {1}});
  parts.push_back({.mode = 1, .agree = {}});
  return parts;
}

std::vector<PartSpec> in_weighted_norms(std::vector<PartSpec> parts) {
  for (std::size_t p = 0; p < parts.size(); ++p) {
    parts[p].row_power = 0.5 * static_cast<double>(p % 3);
    parts[p].fiber_power = 0.7 - 0.4 * static_cast<double>(p % 4);
  }
  return parts;
}

Cells every_cell(const std::vector<Index>& extents) {
  std::uint64_t cells = 1;
  for (const Index extent : extents) cells *= extent;
  Cells index(static_cast<int>(extents.size()));
  for (std::uint64_t c = 0; c < cells; ++c) {
    const std::vector<Index> cell = cell_of(c, extents);
    index.add(cell);
  }
  return index;
}

// A part in dual form is one with the right factor sum_{e in c} z_e u_e: all answers must agree.
TEST(Predictor, AFactoredPartSaysWhatItsDualFormDoes) {
  Rng rng(8);
  const std::vector<Index> extents = {7, 6, 5};
  Model dual = random_model(extents, 60, full_and_marginal(3), rng);
  Model factored = dual;
  Latent& latent = std::get<Latent>(*factored.body);
  for (ModelPart& part : latent.parts) {
    const PartKernels kernels(latent.dual, part.modes);
    part.right = times_transposed(kernels, latent.dual.values(), part.factor);
  }
  EXPECT_TRUE(latent.factored());
  EXPECT_FALSE(dual.latent()->factored());
  const Predictor from_dual(dual);
  const Predictor from_factors(factored);
  const auto cells = every_cell({8, 7, 6});  // some beyond the modes
  const auto want = from_dual.predict(cells);
  const auto got = from_factors.predict(cells);
  EXPECT_EQ(got.cold, want.cold);
  for (std::size_t i = 0; i < want.value.size(); ++i) EXPECT_NEAR(got.value[i], want.value[i], kRounding);
  EXPECT_EQ(from_factors.support(cells), from_dual.support(cells));
  for (std::size_t p = 0; p < latent.parts.size(); ++p) {
    EXPECT_NEAR(from_factors.mixture()[p], from_dual.mixture()[p], kRounding);
    EXPECT_NEAR(from_factors.tensor_mixture()[p], from_dual.tensor_mixture()[p], kRounding);
  }
}

TEST(Predictor, EqualsTheNaiveSumAtEveryCell) {
  Rng rng(3);
  for (const std::vector<Index>& extents : {std::vector<Index>{7, 6}, {6, 5, 4}, {5, 4, 3, 3}}) {
    const Model model = random_model(extents, 40, full_and_marginal(static_cast<int>(extents.size())), rng);
    const auto index = every_cell(extents);
    const Predictor predictor(model);
    const auto total = predictor.predict(index).value;
    const auto parts = predictor.predict_parts(index);
    for (std::size_t i = 0; i < total.size(); ++i) {
      std::vector<Index> cell;
      for (int k = 0; k < index.order(); ++k) cell.push_back(index.mode(k)[i]);
      double sum = model.offsets.mean;
      for (std::size_t p = 0; p < model.latent()->parts.size(); ++p) {
        const double part = naive_part(*model.latent(), model.latent()->parts[p], cell);
        EXPECT_NEAR(parts[p][i], part, kRounding);
        sum += part;
      }
      EXPECT_NEAR(total[i], sum, kRounding);
    }
  }
}

TEST(Predictor, WithWeightsOffsetsAndClippingStillEqualsTheNaiveSum) {
  Rng rng(8);
  const std::vector<Index> extents = {6, 5, 4};
  Model model = random_model(extents, 40, in_weighted_norms(full_and_marginal(3)), rng);
  Latent& latent = std::get<Latent>(*model.body);
  latent.dual = test::with_random_weights(latent.dual, rng);
  model.offsets.effects = {{.modes = {1}, .key = {0, 2, 3}, .value = {0.5, -0.25, 1.5}},
                           {.modes = {0, 2}, .key = {1, (2ULL << 32) | 3}, .value = {-2.0, 4.0}}};
  model.clip = Range{.low = -1.0, .high = 2.0};
  const auto index = every_cell(extents);
  const auto total = Predictor(model).predict(index).value;
  int clipped = 0;
  for (std::size_t i = 0; i < total.size(); ++i) {
    const std::vector<Index> cell = {index[0][i], index[1][i], index[2][i]};
    double sum = 0.75;
    sum += cell[1] == 0 ? 0.5 : cell[1] == 2 ? -0.25 : cell[1] == 3 ? 1.5 : 0.0;
    sum += cell[0] == 0 && cell[2] == 1 ? -2.0 : cell[0] == 2 && cell[2] == 3 ? 4.0 : 0.0;
    for (const ModelPart& part : model.latent()->parts) sum += naive_part(*model.latent(), part, cell);
    clipped += sum < -1.0 || sum > 2.0 ? 1 : 0;
    EXPECT_NEAR(total[i], std::min(2.0, std::max(-1.0, sum)), kRounding);
  }
  EXPECT_GT(clipped, 0);
  EXPECT_LT(clipped, static_cast<int>(total.size()));
}

// Each list's norm as a share of the sum of norms.
std::vector<double> norm_shares(const std::vector<std::vector<double>>& lists) {
  std::vector<double> norms;
  double sum = 0.0;
  for (const auto& list : lists) {
    double square = 0.0;
    for (const double value : list) square += value * value;
    norms.push_back(std::sqrt(square));
    sum += norms.back();
  }
  for (double& norm : norms) norm /= sum;
  return norms;
}

TEST(Predictor, MixturesAreSharesOfTheNormsOverObservedAndOverAllCells) {
  Rng rng(4);
  const std::vector<Index> extents = {6, 5, 4};
  std::vector<PartSpec> specs = full_and_marginal(3);
  for (const PartSpec& part : in_weighted_norms(specs)) specs.push_back(part);
  Model model = random_model(extents, 50, specs, rng);
  Latent& latent = std::get<Latent>(*model.body);
  latent.dual = test::with_random_weights(latent.dual, rng);
  const Predictor predictor(model);
  const auto expect_near = [](const std::vector<double>& got, const std::vector<double>& wanted) {
    ASSERT_EQ(got.size(), wanted.size());
    for (std::size_t p = 0; p < got.size(); ++p) EXPECT_NEAR(got[p], wanted[p], 1e-12);
  };
  expect_near(predictor.tensor_mixture(), norm_shares(predictor.predict_parts(every_cell(extents))));
  expect_near(predictor.mixture(), norm_shares(predictor.predict_parts(latent.dual.cells())));
}

TEST(Predictor, SpectraAreTheSingularValuesOfThePartsUnfolded) {
  Rng rng(6);
  const std::vector<Index> extents = {6, 5, 4};
  std::vector<PartSpec> specs = full_and_marginal(3);
  for (const PartSpec& part : in_weighted_norms(specs)) specs.push_back(part);
  Model model = random_model(extents, 50, specs, rng);
  const Predictor predictor(model);
  const auto cells = every_cell(extents);
  const auto parts = predictor.predict_parts(cells);
  const auto spectra = predictor.spectra();
  ASSERT_EQ(spectra.size(), specs.size());
  for (std::size_t p = 0; p < specs.size(); ++p) {
    const int mode = specs[p].mode;
    const int other = mode == 0 ? 1 : 0;
    const int third = 3 - mode - other;
    Eigen::MatrixXd unfolded = Eigen::MatrixXd::Zero(extents[mode], extents[other] * extents[third]);
    for (std::size_t i = 0; i < parts[p].size(); ++i)
      unfolded(cells[mode][i], cells[other][i] * extents[third] + cells[third][i]) = parts[p][i];
    const Eigen::VectorXd wanted = unfolded.jacobiSvd().singularValues();
    for (std::size_t r = 0; r < spectra[p].size(); ++r)
      EXPECT_NEAR(spectra[p][r], static_cast<Eigen::Index>(r) < wanted.size() ? wanted[r] : 0.0,
                  1e-6 * (1 + wanted[0]))
          << p << " " << r;
  }
}

TEST(Predictor, ColdCellsGetTheOffsetAndAreCounted) {
  Rng rng(5);
  Model model = random_model({50, 50, 50}, 20, full_parts(3), rng);
  const auto prediction =
      Predictor(model).predict({{kUnseen, 3, 49}, {kUnseen, kUnseen, 49}, {0, kUnseen, 49}});
  EXPECT_EQ(prediction.value, std::vector<double>(3, 0.75));
  EXPECT_EQ(prediction.cold, 3);
}

TEST(Predictor, SameBitsAtAnyThreadCount) {
  Rng rng(6);
  const Model model = random_model({40, 30, 20}, 9000, full_and_marginal(3), rng);
  const auto index = every_cell({40, 30, 20});
  std::vector<double> first;
  for (const int threads : {1, 2, 3, 5}) {
    const test::WithThreads scope(threads);
    const auto value = Predictor(model).predict(index).value;
    if (first.empty()) first = value;
    EXPECT_TRUE(test::same_bits<double>(first, value)) << threads << " threads";
  }
}

TEST(Predictor, RefusesCellsOfAnotherOrder) {
  Rng rng(7);
  const Model model = random_model({4, 4, 4}, 10, full_parts(3), rng);
  EXPECT_THROW((void)Predictor(model).predict({{0}, {0}}), std::invalid_argument);
}

TEST(Predictor, APredictionThatIsNotFiniteIsNamed) {
  Model model;
  model.modes = test::plain_modes({2, 2});
  model.offsets.mean = 1.5e308;
  model.body = ModelBody(Dense{{0.0, 0.0, 0.0, 1.5e308}});
  EXPECT_EQ(Predictor(model).predict({{0}, {1}}).value[0], 1.5e308);
  try {
    (void)Predictor(model).predict({{0, 1}, {1, 1}});
    FAIL() << "predicted infinity";
  } catch (const ValueRangeError& error) {
    EXPECT_NE(std::string(error.what()).find("(2, 2)"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lacuna
