// SPDX-License-Identifier: MIT
// Models whose parts have side information: what they predict, with entries or without, against the kernel itself.
#include <gtest/gtest.h>

#include <lacuna/model/model.hpp>

#include "model/body.hpp"
#include "support/naive.hpp"
#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

constexpr double kRounding = 1e-10;

// The first two positions of mode 0 have no entries.
Model random_model(const std::vector<Index>& sizes, Count entries, const std::vector<PartSpec>& parts,
                   Rng& rng) {
  Model model;
  model.method = "tr-mm";
  model.modes = test::plain_modes(sizes);
  model.modes[0].side = test::random_side(sizes[0], 4, rng);
  std::vector<Index> fewer = sizes;
  fewer[0] -= 2;
  const ObservedTensor plain = test::random_tensor(fewer, entries, rng);
  Entries shifted = test::entries_of(plain);
  for (Index& i : shifted.cells[0]) i += 2;
  Latent& latent = model.body->emplace<Latent>();
  latent.dual = *ObservedTensor::create(model.modes, std::move(shifted));
  for (const PartSpec& part : parts)
    latent.parts.push_back(
        {.modes = part,
         .lambda = 0.5 + rng.uniform(),
         .factor = test::random_matrix<double>(PartKernels(latent.dual, part).factor_rows(), 2, rng)});
  return model;
}

Cells every_cell(const std::vector<Index>& sizes) {
  std::uint64_t count = 1;
  for (const Index size : sizes) count *= size;
  Cells cells(static_cast<int>(sizes.size()));
  for (std::uint64_t c = 0; c < count; ++c) cells.add(test::cell_of(c, sizes));
  return cells;
}

const std::vector<PartSpec> kParts = {
    {.mode = 0, .agree = {1}, .side = 0.5},
    {.mode = 0, .agree = {1, 2}, .row_power = 0.5, .fiber_power = 0.4, .side = 0.3},
    {.mode = 0, .agree = {2}, .side = 1.0},
    {.mode = 1, .agree = {0, 2}}};

TEST(SideParts, EveryCellIsTheKernelsSum) {
  Rng rng(760);
  const std::vector<Index> sizes{7, 5, 4};
  const Model model = random_model(sizes, 40, kParts, rng);
  const Cells index = every_cell(sizes);
  const auto parts = Predictor(model).predict_parts(index);
  const Latent& latent = *model.latent();
  double of_cold = 0.0;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const ModelPart& part = latent.parts[p];
    const test::NaivePart naive(latent.dual, part.modes);
    const Matrix<double> rows = naive.rows_of(part.factor);
    for (std::size_t i = 0; i < index[0].size(); ++i) {
      double sum = 0.0;
      for (std::size_t c = 0; c < naive.fibers().size(); ++c)
        for (const Count e : naive.fibers()[c]) {
          bool agrees = true;
          for (const int mode : part.modes.agree)
            agrees = agrees && latent.dual.index(mode)[e] == index[mode][i];
          if (agrees)
            sum += part.lambda * naive.fiber_scale(c) * latent.dual.values()[e] *
                   rows.row(index[part.modes.mode][i]).dot(rows.row(naive.row(e)));
        }
      EXPECT_NEAR(parts[p][i], sum, kRounding) << p;
      if (index[0][i] < 2) of_cold += std::abs(sum);
    }
  }
  EXPECT_GT(of_cold, 1.0);  // positions without entries have something said of them
}

TEST(SideParts, SpectraAreThePartsNormsOverAllCells) {
  Rng rng(761);
  const std::vector<Index> sizes{7, 5, 4};
  const Model model = random_model(sizes, 40, kParts, rng);
  const auto parts = Predictor(model).predict_parts(every_cell(sizes));
  const auto spectra = Predictor(model).spectra();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    double squares = 0.0;
    for (const double value : parts[p]) squares += value * value;
    double sum = 0.0;
    for (const double value : spectra[p]) sum += value * value;
    EXPECT_NEAR(sum, squares, 1e-9 * squares) << p;
  }
}

TEST(SideParts, SameBitsAtAnyThreadCount) {
  Rng rng(762);
  const std::vector<Index> sizes{900, 40, 5};
  const Model model = random_model(sizes, 8000, kParts, rng);
  const Cells index = every_cell(sizes);
  std::vector<double> once;
  for (const int threads : {1, 2, 3}) {
    const test::WithThreads with(threads);
    const auto value = Predictor(model).predict(index).value;
    if (once.empty()) once = value;
    EXPECT_EQ(value, once) << threads;
  }
}

}  // namespace
}  // namespace lacuna
