// SPDX-License-Identifier: MIT
// Models with near parts: what they predict, seen or not and between positions, against the kernel itself.
#include <gtest/gtest.h>

#include <Eigen/SVD>
#include <algorithm>
#include <lacuna/model/model.hpp>

#include "model/body.hpp"
#include "support/naive.hpp"
#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

constexpr double kRounding = 1e-10;  // sums of a few hundred products of order one, through two transforms

struct Shape {
  std::vector<Mode> modes;
  Count entries;
  std::vector<PartSpec> parts;
};

std::vector<Shape> shapes() {
  std::vector<Mode> with_positions = test::plain_modes({6, 5, 4});
  with_positions[0].positions = {3.0, -1.5, 0.25, 7.0, 4.5, 0.0};
  with_positions[1].positions = {0.0, 0.5, 1.0, 1.5, 2.0};
  return {{test::plain_modes({9, 7}),
           12,
           {{.mode = 0, .agree = {}, .near = {{1, 2.0}}},
            {.mode = 1, .agree = {}, .near = {{0, 3.0}}, .smoothness = 2.0}}},
          {test::plain_modes({7, 6, 3}),
           20,
           {{.mode = 2, .agree = {}, .near = {{0, 4.0}, {1, 3.0}}, .smoothness = 1.5},
            {.mode = PartSpec::kNothing, .agree = {2}, .near = {{0, 2.0}, {1, 3.0}}}}},
          {with_positions,
           20,
           {{.mode = 1, .agree = {2}, .near = {{0, 2.5}}},
            {.mode = 2, .agree = {}, .near = {{0, 2.0}, {1, 0.7}}, .smoothness = 1.5},
            {.mode = 2, .agree = {}, .row_power = 0.5, .near = {{1, 0.4}}}}}};
}

Model random_model(const Shape& shape, Rng& rng) {
  Model model;
  model.method = "tr-mm";
  model.version = "0";
  model.modes = shape.modes;
  Latent& latent = model.body->emplace<Latent>();
  std::vector<Index> sizes = extents(shape.modes);
  const ObservedTensor plain = test::random_tensor(sizes, shape.entries, rng);
  latent.dual = *ObservedTensor::create(shape.modes, test::entries_of(plain));
  for (const PartSpec& part : shape.parts)
    latent.parts.push_back({.modes = part,
                            .lambda = 0.5 + rng.uniform(),
                            .factor = part.learns() ? test::random_matrix<double>(sizes[part.mode], 2, rng)
                                                    : Matrix<double>(Matrix<double>::Ones(1, 1))});
  return model;
}

// lambda sum_e z_e Theta(row, row of e) [agreeing indices equal] kappa(x, place of e), and whether any entry
// agrees and the row has entries.
struct Spoken {
  double value = 0.0;
  bool warm = false;
};
Spoken naive_part(const Latent& latent, const ModelPart& part, const std::vector<Index>& cell,
                  const std::vector<double>& x) {
  const test::NaiveNear kappa(latent.dual.modes(), part.modes);
  const test::NaivePart naive(latent.dual, part.modes);
  const Index row = part.modes.learns() ? cell[part.modes.mode] : 0;
  Spoken spoken;
  for (Count e = 0; e < latent.dual.size(); ++e) {
    bool agrees = true;
    for (const int mode : part.modes.agree) agrees = agrees && latent.dual.index(mode)[e] == cell[mode];
    if (!agrees) continue;
    for (const Index seen : latent.dual.index(std::max(part.modes.mode, 0)))
      spoken.warm = spoken.warm || !part.modes.learns() || seen == row;
    std::vector<double> from;
    std::vector<double> to;
    for (std::size_t s = 0; s < part.modes.near.size(); ++s) {
      from.push_back(x[part.modes.near[s].mode]);
      to.push_back(kappa.coordinate(s, latent.dual.index(part.modes.near[s].mode)[e]));
    }
    spoken.value += part.lambda * latent.dual.values()[e] * naive.row_scale(row) *
                    naive.row_scale(naive.row(e)) * part.factor.row(row).dot(part.factor.row(naive.row(e))) *
                    kappa(from, to);
  }
  return spoken;
}

double position(const Mode& mode, Index i) { return mode.positions.empty() ? i : mode.positions[i]; }

Cells every_cell(const std::vector<Mode>& modes) {
  const std::vector<Index> sizes = extents(modes);
  std::uint64_t cells = 1;
  for (const Index size : sizes) cells *= size;
  Cells index(static_cast<int>(sizes.size()));
  for (std::uint64_t c = 0; c < cells; ++c) {
    const std::vector<Index> cell = test::cell_of(c, sizes);
    index.add(cell);
  }
  return index;
}

TEST(NearParts, EveryCellIsTheKernelsSumWhetherItsFiberIsSeenOrNot) {
  Rng rng(720);
  for (const Shape& shape : shapes()) {
    const Model model = random_model(shape, rng);
    const auto index = every_cell(shape.modes);
    const auto parts = Predictor(model).predict_parts(index);
    const auto whole = Predictor(model).predict(index);
    Count cold = 0;
    for (std::size_t i = 0; i < index[0].size(); ++i) {
      std::vector<Index> cell;
      std::vector<double> x;
      for (std::size_t k = 0; k < shape.modes.size(); ++k) {
        cell.push_back(index[k][i]);
        x.push_back(position(shape.modes[k], index[k][i]));
      }
      bool warm = false;
      double sum = 0.0;
      for (std::size_t p = 0; p < parts.size(); ++p) {
        const Spoken spoken = naive_part(*model.latent(), model.latent()->parts[p], cell, x);
        EXPECT_NEAR(parts[p][i], spoken.value, kRounding) << p;
        warm = warm || spoken.warm;
        sum += spoken.value;
      }
      cold += warm ? 0 : 1;
      EXPECT_NEAR(whole.value[i], sum, kRounding);
    }
    EXPECT_EQ(whole.cold, cold);
  }
}

TEST(NearParts, BetweenAndBeyondPositionsTheKernelSpeaks) {
  Rng rng(721);
  for (const Shape& shape : shapes()) {
    const Model model = random_model(shape, rng);
    const std::size_t order = shape.modes.size();
    std::vector<std::vector<Index>> index(order);
    std::vector<std::vector<double>> coordinates(order);
    for (int i = 0; i < 40; ++i)
      for (std::size_t k = 0; k < order; ++k) {
        index[k].push_back(static_cast<Index>(rng.below(shape.modes[k].size)));
        if (k < 2) coordinates[k].push_back(-2.0 + 10.0 * rng.uniform());
      }
    const auto got = Predictor(model).predict(index, coordinates).value;
    for (std::size_t i = 0; i < got.size(); ++i) {
      std::vector<Index> cell;
      std::vector<double> x;
      for (std::size_t k = 0; k < order; ++k) {
        cell.push_back(index[k][i]);
        x.push_back(k < 2 ? coordinates[k][i] : position(shape.modes[k], index[k][i]));
      }
      double sum = 0.0;
      for (const ModelPart& part : model.latent()->parts)
        sum += naive_part(*model.latent(), part, cell, x).value;
      EXPECT_NEAR(got[i], sum, kRounding);
    }
  }
}

TEST(NearParts, SpectraAreTheSingularValuesOfThePartsOverAllCells) {
  Rng rng(722);
  for (const Shape& shape : shapes()) {
    const Model model = random_model(shape, rng);
    const auto index = every_cell(shape.modes);
    const auto parts = Predictor(model).predict_parts(index);
    const auto spectra = Predictor(model).spectra();
    for (std::size_t p = 0; p < parts.size(); ++p) {
      double squares = 0.0;
      for (const double value : parts[p]) squares += value * value;
      double sum = 0.0;
      for (const double value : spectra[p]) sum += value * value;
      EXPECT_NEAR(sum, squares, 1e-9 * squares) << p;
    }
  }
}

TEST(NearParts, SameBitsAtAnyThreadCount) {
  Rng rng(723);
  Shape shape{test::plain_modes({90, 80, 4}),
              6000,
              {{.mode = 2, .agree = {}, .near = {{0, 9.0}, {1, 5.0}}, .smoothness = 1.5},
               {.mode = 0, .agree = {2}, .near = {{1, 3.0}}}}};
  const Model model = random_model(shape, rng);
  const auto index = every_cell(shape.modes);
  std::vector<double> once;
  for (const int threads : {1, 2, 3}) {
    const test::WithThreads with(threads);
    const auto value = Predictor(model).predict(index).value;
    if (once.empty()) once = value;
    EXPECT_EQ(value, once) << threads;
  }
}

TEST(NearParts, SupportCountsNearEntriesByTheirKernel) {
  Rng rng(724);
  const Shape shape{test::plain_modes({3, 9}), 4, {{.mode = 0, .agree = {}, .near = {{1, 2.0}}}}};
  const Model model = random_model(shape, rng);
  const auto index = every_cell(shape.modes);
  const auto support = Predictor(model).support(index);
  for (std::size_t i = 0; i < support.size(); ++i) {
    double sum = 0.0;
    for (const Index other : model.latent()->dual.index(1))
      sum += std::exp(-std::abs(static_cast<double>(other) - static_cast<double>(index[1][i])) / 2.0);
    EXPECT_EQ(support[i], std::llround(sum));
  }
}

TEST(NearParts, PositionsThatDoNotFitAreRefused) {
  Rng rng(725);
  const ObservedTensor plain = test::random_tensor({4, 5}, 9, rng);
  const PartSpec part{.mode = 0, .agree = {}, .near = {{1, 2.0}}};
  const auto refused = [&](const std::vector<double>& positions, const std::string& says) {
    std::vector<Mode> modes = plain.modes();
    modes[1].positions = positions;
    const ObservedTensor tensor = *ObservedTensor::create(modes, test::entries_of(plain));
    try {
      const PartKernels kernels(tensor, part);
      ADD_FAILURE() << says;
    } catch (const std::invalid_argument& problem) {
      EXPECT_NE(std::string(problem.what()).find(says), std::string::npos) << problem.what();
    }
  };
  refused({0, 1, 2}, "3 positions for 5 indices");
  refused({0, 1, 2, 2, 3}, "same position");
  refused({0, 1, 2, std::nan(""), 3}, "not a finite number");
}

TEST(NearParts, AGridThatDoesNotFitIsRefused) {
  Rng rng(726);
  const ObservedTensor tensor = test::random_tensor({3, 20000, 20000}, 9, rng);
  EXPECT_THROW(PartKernels(tensor, {.mode = 0, .agree = {}, .near = {{1, 2.0}, {2, 2.0}}}),
               std::invalid_argument);
  const ObservedTensor many = test::random_tensor({20000, 200, 200}, 3000, rng);
  EXPECT_THROW(PartKernels(many, {.mode = PartSpec::kNothing, .agree = {0}, .near = {{1, 2.0}, {2, 2.0}}}),
               std::invalid_argument);
  const PartKernels chain(tensor, {.mode = 0, .agree = {1}, .near = {{2, 2.0}}});
  EXPECT_EQ(chain.rows(), 3);
}

}  // namespace
}  // namespace lacuna
