// SPDX-License-Identifier: MIT
// Updates of models whose factors are known, so that what must come of new entries is known, too.
#include <gtest/gtest.h>

#include <lacuna/model/update.hpp>

#include "model/body.hpp"
#include "support/random_models.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

const std::vector<Index> kExtents{30, 12, 4};
constexpr double kNoise = 1e-4;  // that the model claims; new entries have none
constexpr double kClose = 1e-2;  // of values of order one: what a ridge as small as that leaves

// Two parts in factored form and an effect, fitted with nothing left.
Model factored_model(Rng& rng) {
  Entries entries{.cells = Cells(3), .value = {}};
  for (Index i = 0; i < kExtents[0]; ++i)
    for (Index j = 0; j < kExtents[1]; ++j) {
      entries.cells.add({i, j, (i + j) % kExtents[2]});
      entries.value.push_back(rng.normal());
    }
  const ObservedTensor tensor = *ObservedTensor::create(test::plain_modes(kExtents), std::move(entries));
  Model model = test::bare_model(tensor, rng);
  model.method = "als";
  model.offsets.effects.resize(1);
  model.offsets.effects[0].ridge = 0.0;  // as large as effects are, and as the noise is
  model.record.set("noise", kNoise);
  Latent latent;
  latent.parts.push_back(test::random_part(tensor, {.mode = 0, .agree = {1}}, 3, true, rng));
  latent.parts.push_back(test::random_part(tensor, {.mode = 2, .agree = {1}}, 1, true, rng));
  latent.dual = tensor;
  latent.dual.replace_values(std::vector<double>(static_cast<std::size_t>(tensor.size()), 0.0));
  model.body = ModelBody(std::move(latent));
  return model;
}

// What a new position of the first mode says: a row of the first part, and an effect.
struct NewRow {
  Eigen::RowVectorXd factor;
  double effect = 0.0;
};

double value_of(const Model& model, const NewRow& row, Index j, Index k) {
  // The model at a known position, with that position's row and effect taken off.
  Cells cell(3);
  cell.add({0, j, k});
  const Predictor predictor(model);
  const Latent& latent = *model.latent();
  const LatentPredictor parts(latent);
  std::vector<double> fiber(3);
  parts.fiber_vector(0, parts.lookup(0).find(cell, 0), fiber.data());
  const Eigen::Map<const Eigen::RowVectorXd> t(fiber.data(), 3);
  const double known = latent.parts[0].factor.row(0).dot(t) + model.offsets.effects[0].at(0);
  return predictor.scores(cell)[0] - known + row.factor.dot(t) + row.effect;
}

Entries entries_of(const Model& model, const NewRow& row, Index position, Index step) {
  Entries entries{.cells = Cells(3), .value = {}};
  for (Index j = 0; j < kExtents[1]; j += step) {
    entries.cells.add({position, j, j % kExtents[2]});
    entries.value.push_back(value_of(model, row, j, j % kExtents[2]));
  }
  return entries;
}

std::vector<Mode> grown(const Model& model, Index more) {
  std::vector<Mode> modes = model.modes;
  modes[0].size += more;
  return modes;
}

NewRow random_row(Rng& rng) {
  return {.factor = test::random_matrix<double>(1, 3, rng), .effect = rng.normal()};
}

TEST(Update, FindsTheRowOfANewPosition) {
  Rng rng(21);
  const Model model = factored_model(rng);
  const NewRow row = random_row(rng);
  const Entries entries = entries_of(model, row, kExtents[0], 1);
  const auto found = update(model, grown(model, 1), entries, {.held_out = 0.0});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->added, (std::vector<Index>{1, 0, 0}));
  EXPECT_EQ(found->entries, entries.size());
  EXPECT_EQ(found->model.entries, model.entries + entries.size());
  Cells others(3);
  std::vector<double> truth;
  for (Index j = 0; j < kExtents[1]; ++j) {
    others.add({kExtents[0], j, (j + 1) % kExtents[2]});
    truth.push_back(value_of(model, row, j, (j + 1) % kExtents[2]));
  }
  const std::vector<double> predicted = Predictor(found->model).scores(others);
  for (std::size_t i = 0; i < truth.size(); ++i) EXPECT_NEAR(predicted[i], truth[i], kClose);
}

TEST(Update, LeavesCellsWithoutNewEntriesAsTheyAre) {
  Rng rng(22);
  const Model model = factored_model(rng);
  const auto found = update(model, grown(model, 1), entries_of(model, random_row(rng), kExtents[0], 2));
  ASSERT_TRUE(found);
  Cells odd(3);  // no new entry is on these fibers, nor at these positions
  for (Index i = 0; i < kExtents[0]; ++i)
    for (Index j = 1; j < kExtents[1]; j += 2) odd.add({i, j, 0});
  EXPECT_EQ(Predictor(found->model).scores(odd), Predictor(model).scores(odd));
}

TEST(Update, HoldsEntriesOutAndSaysTheirError) {
  Rng rng(23);
  const Model model = factored_model(rng);
  Entries entries{.cells = Cells(3), .value = {}};
  for (Index more = 0; more < 10; ++more) {
    const Entries one = entries_of(model, random_row(rng), kExtents[0] + more, 1);
    entries.cells.append(one.cells);
    entries.value.insert(entries.value.end(), one.value.begin(), one.value.end());
  }
  const auto found = update(model, grown(model, 10), entries);
  ASSERT_TRUE(found);
  ASSERT_TRUE(found->held_out_rmse.has_value());
  EXPECT_LT(*found->held_out_rmse, 2 * kClose);
  EXPECT_FALSE(update(model, grown(model, 10), entries, {.held_out = 0.0})->held_out_rmse.has_value());
}

TEST(Update, KeepsTheValuesItWasFittedOn) {
  Rng rng(24);
  const Model model = factored_model(rng);
  const NewRow row = random_row(rng);
  const Entries entries = entries_of(model, row, kExtents[0], 1);
  const auto found = update(model, grown(model, 1), entries);
  ASSERT_TRUE(found);
  const Entries none{.cells = Cells(3), .value = {}};
  const auto data = joined_entries(found->model, found->model.modes, none, Duplicates::kError);
  ASSERT_TRUE(data);
  const auto before = joined_entries(model, grown(model, 1), entries, Duplicates::kError);
  ASSERT_TRUE(before);
  ASSERT_EQ(data->cells(), before->cells());
  for (Count e = 0; e < data->size(); ++e) EXPECT_NEAR(data->values()[e], before->values()[e], 1e-12);
}

TEST(Update, ThreadsChangeNoBit) {
  Rng rng(25);
  const Model model = factored_model(rng);
  const Entries entries = entries_of(model, random_row(rng), kExtents[0], 1);
  Cells cells(3);
  for (Index j = 0; j < kExtents[1]; ++j) cells.add({kExtents[0], j, 1});
  std::vector<std::vector<double>> values;
  for (const int threads : {1, 3}) {
    const test::WithThreads with(threads);
    values.push_back(Predictor(update(model, grown(model, 1), entries)->model).scores(cells));
  }
  EXPECT_EQ(values[0], values[1]);
}

TEST(Update, RefusesWhatItCannotDo) {
  Rng rng(26);
  const Model model = factored_model(rng);
  Entries known{.cells = Cells(3), .value = {1.0}};
  known.cells.add({0, 0, 0});
  EXPECT_FALSE(update(model, model.modes, known));  // it was fitted on
  EXPECT_TRUE(update(model, model.modes, known, {.duplicates = Duplicates::kLast}));
  Model other = model;
  other.method = "ffw";
  EXPECT_THROW((void)update(other, model.modes, known), std::invalid_argument);
  EXPECT_NE(why_not_updated(other), "");
  std::vector<Mode> smaller = model.modes;
  smaller[0].size -= 1;
  EXPECT_THROW((void)update(model, smaller, known), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
