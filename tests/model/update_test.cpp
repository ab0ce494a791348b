// SPDX-License-Identifier: MIT
// Updates of models whose factors are known, so that what must come of new entries is known, too.
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <cmath>
#include <lacuna/model/update.hpp>

#include "model/body.hpp"
#include "support/threads.hpp"
#include "support/update_models.hpp"

namespace lacuna {
namespace {

using test::factored_model;
using test::grown;
using test::kExtents;

constexpr double kClose = 1e-2;  // of values of order one: what a ridge as small as that leaves

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

Count fiber_number(const LatentPredictor& parts, const Cells& cells, Count cell) {
  return parts.lookup(0).find(cells, cell).which;  // all fibers have several entries
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

// Given U, a new fiber of a part in dual form is what A(u) z = y makes of its entries: w = lambda u . sum_e z_e u_e with
// (I/2 + lambda U U') z = y.
TEST(Update, ANewFiberInDualFormIsKernelRegression) {
  Rng rng(27);
  Entries old{.cells = test::random_cells({8, 40}, 200, rng), .value = test::random_vector<double>(200, rng)};
  const ObservedTensor tensor = *ObservedTensor::create(test::plain_modes({8, 40}), std::move(old));
  Model model;
  model.method = "tr-mm";
  model.modes = tensor.modes();
  model.entries = tensor.size();
  Latent latent;
  latent.parts.push_back(test::random_part(tensor, {.mode = 0, .agree = {1}}, 3, false, rng));
  latent.dual = tensor;
  const ModelPart part = latent.parts[0];
  model.body = ModelBody(std::move(latent));

  std::vector<Mode> modes = model.modes;
  modes[1].size += 1;
  Entries entries{.cells = Cells(2), .value = {}};
  Eigen::MatrixXd seen(6, 3);
  for (Index row = 0; row < 6; ++row) {  // which have about 25 entries each, so that they stay
    seen.row(row) = part.factor.row(row);
    entries.cells.add({row, 40});
    entries.value.push_back(rng.normal());
  }
  const auto count = static_cast<Eigen::Index>(entries.value.size());
  const Eigen::MatrixXd kernel =
      0.5 * Eigen::MatrixXd::Identity(count, count) + part.lambda * seen * seen.transpose();
  const Eigen::VectorXd z =
      kernel.llt().solve(Eigen::Map<const Eigen::VectorXd>(entries.value.data(), count));
  const auto found = update(model, modes, entries, {.held_out = 0.0});
  ASSERT_TRUE(found);
  Cells cells(2);
  std::vector<double> expected;
  for (const Index row : tensor.index(0)) {
    cells.add({row, 40});
    expected.push_back(part.lambda * part.factor.row(row).dot(seen.transpose() * z));
  }
  const std::vector<double> predicted = Predictor(found->model).scores(cells);
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(predicted[i], expected[i], 1e-9);
}

// With a prior a new row solves, over its n entries of the values y (als_part.hpp),
//   (sum_e (t_e t_e' + diag(var t_e)) + diag(ridge)) f = sum_e y_e t_e + diag(ridge) n^(-1/2) sum_e shared_e
// where als has var t_c = noise / (entries of c times the mean of f^2 + ridge of t), and tr-mm has none.
TEST(Update, ANewRowIsWhatThePriorAndItsEntriesSay) {
  for (const std::string method : {"als", "tr-mm"}) {
    Rng rng(28);
    Model model = factored_model(rng);
    model.method = method;
    model.offsets = {};
    model.record.set("noise", 1.0);
    auto& latent = std::get<Latent>(*model.body);
    latent.parts.resize(1);
    ModelPart& part = latent.parts[0];
    const std::vector<double> ridge{0.5, 2.0, 8.0};
    constexpr double kFiberRidge = 3.0;
    part.prior = PartPrior{.rows = {.ridge = ridge, .shared = test::random_matrix<float>(12, 4, rng)},
                           .fibers = {.ridge = std::vector<double>(3, kFiberRidge)}};
    Entries entries{.cells = Cells(3), .value = {}};
    for (Index j = 0; j < 5; ++j) {  // one for each 30 that a fiber has: these stay
      entries.cells.add({kExtents[0], j, 0});
      entries.value.push_back(rng.normal());
    }
    const auto found = update(model, grown(model, 1), entries, {.held_out = 0.0});
    ASSERT_TRUE(found);

    const LatentPredictor before(latent);
    // Known rows have 12 entries each, the new one begins at their mean with 5.
    const Eigen::RowVectorXd mean = part.factor.colwise().mean();
    const Eigen::RowVectorXd square =
        (12.0 * part.factor.colwise().squaredNorm() + 5.0 * mean.cwiseAbs2()) / 365.0;
    Eigen::MatrixXd system = Eigen::Map<const Eigen::VectorXd>(ridge.data(), 3).asDiagonal();
    Eigen::VectorXd right = Eigen::VectorXd::Zero(3);
    for (Index j = 0; j < 5; ++j) {
      Eigen::VectorXd t(3);
      before.fiber_vector(0, before.lookup(0).find(entries.cells, j), t.data());
      system += t * t.transpose();
      if (method == "als")
        for (int k = 0; k < 3; ++k) system(k, k) += 1.0 / (31.0 * square[k] + kFiberRidge);
      right += entries.value[j] * t;
      for (int k = 0; k < 3; ++k)
        right[k] += ridge[k] *
                    static_cast<double>(part.prior->rows.shared(fiber_number(before, entries.cells, j), k)) /
                    std::sqrt(5.0);
    }
    const Eigen::VectorXd expected = system.llt().solve(right);
    const auto row = found->model.latent()->parts[0].factor.row(kExtents[0]);
    for (int k = 0; k < 3; ++k) EXPECT_NEAR(row[k], expected[k], 1e-9) << method;
  }
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

// A guess is made of what is known: the mean and the effects of other positions stay when entries come.
TEST(Update, LeavesGuessesWithoutNewEntriesAsTheyAre) {
  Rng rng(29);
  Model model = factored_model(rng);
  model.offsets = {};
  const ObservedTensor tensor = test::fitted_on(rng);
  model.fallback.mean = 0.5;
  for (const int mode : {0, 1, 2}) model.fallback.effects.push_back(test::random_effect(tensor, {mode}, rng));
  Entries entries{.cells = Cells(3), .value = {3.0, 1.0}};
  entries.cells.add({kExtents[0], 0, 0});
  entries.cells.add({kExtents[0], 2, 0});
  const auto found = update(model, grown(model, 1), entries, {.held_out = 0.0});
  ASSERT_TRUE(found);
  Cells cells(3);  // at a position that nobody has seen
  for (Index j = 1; j < kExtents[1]; j += 2) cells.add({kUnseen, j, 1});
  EXPECT_EQ(Predictor(found->model).scores(cells), Predictor(model).scores(cells));
  EXPECT_TRUE(found->model.fallback.main_effect(0)->knows(kExtents[0]));
  // The new position's effect is a ridge regression on what the others leave of its entries.
  const Effect& effect = *found->model.fallback.main_effect(0);
  double left = 0.0;
  for (Count i = 0; i < 2; ++i) {
    left += entries.value[i] - 0.5;
    for (const int mode : {1, 2}) left -= found->model.fallback.main_effect(mode)->at(entries.cells[mode][i]);
  }
  EXPECT_NEAR(effect.at(kExtents[0]), left / (2.0 + effect.ridge), 1e-9);
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

// A blend cannot be updated where a member cannot, but the entries that another keeps are those that all were fitted on.
TEST(Update, ABlendTellsTheEntriesItWasFittedOn) {
  Rng rng(61);
  const Model kept = factored_model(rng);
  Model silent;
  silent.method = "mean";
  silent.modes = kept.modes;
  const Model blend = blended({.members = {silent, kept}, .weights = {0.5, 0.5}});
  EXPECT_NE(why_not_updated(blend), "");
  EXPECT_EQ(why_not_refitted(blend), "");
  EXPECT_NE(why_not_refitted(silent), "");
  const NewRow row{.factor = Eigen::RowVectorXd::Constant(3, 0.5), .effect = 0.1};
  const Entries fresh = entries_of(kept, row, kExtents[0], 1);
  const auto of_blend = joined_entries(blend, grown(kept, 1), fresh, Duplicates::kError);
  const auto of_member = joined_entries(kept, grown(kept, 1), fresh, Duplicates::kError);
  ASSERT_TRUE(of_blend.ok() && of_member.ok());
  EXPECT_EQ(of_blend->cells(), of_member->cells());
  EXPECT_EQ(of_blend->size(), kept.entries + fresh.size());
  for (Count e = 0; e < of_blend->size(); ++e) EXPECT_EQ(of_blend->values()[e], of_member->values()[e]);
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
