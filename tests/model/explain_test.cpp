// SPDX-License-Identifier: MIT
// Explanations of models made of random numbers: what is told adds up to the prediction, and is what it says it is.
#include <gtest/gtest.h>

#include <cmath>
#include <lacuna/model/explain.hpp>
#include <map>

#include "model/body.hpp"
#include "support/links.hpp"
#include "support/random_models.hpp"

namespace lacuna {
namespace {

constexpr double kRounding = 1e-9;  // of sums of a few hundred numbers of order one
constexpr int kAll = 1000000;       // entries or components: more than there are
const std::vector<Index> kExtents{9, 7, 5};
using By = ExplainOptions::By;

// Observed cells, others, and some beyond what was seen.
Cells asked_cells(const ObservedTensor& tensor, Rng& rng) {
  Cells cells = test::random_cells(kExtents, 25, rng);
  for (Count e = 0; e < tensor.size(); e += 11) cells.add(tensor.cells(), e);
  cells.add({3, kUnseen, 1});
  cells.add({kUnseen, 2, 4});
  cells.add({kUnseen, kUnseen, kUnseen});
  return cells;
}

double sum_of(const ExplainedTerm& term, By by) {
  if (term.kind == ExplainedTerm::Kind::kMean || term.kind == ExplainedTerm::Kind::kEffect) return term.adds;
  double sum = by == By::kComponents ? 0.0 : term.prior + term.other_entries.adds;
  for (const ExplainedEntry& entry : term.entries) {
    EXPECT_DOUBLE_EQ(entry.adds, entry.weight * entry.left);
    sum += entry.adds;
  }
  if (term.kind != ExplainedTerm::Kind::kPart || by == By::kComponents) {
    sum += term.other_components.adds;
    for (const ExplainedComponent& component : term.components) sum += component.adds;
  }
  return sum;
}

struct Case {
  explicit Case(std::uint64_t seed) : rng(seed), tensor(test::random_tensor(kExtents, 90, rng, 1.5)) {}
  Rng rng;
  ObservedTensor tensor;
};

TEST(Explainer, TermsAddUpToThePredictionAndSoDoTheirPieces) {
  Case data(3);
  const Cells cells = asked_cells(data.tensor, data.rng);
  for (const test::NamedModel& one : test::random_models(data.tensor, data.rng)) {
    const Predictor predictor(one.model);
    const std::vector<double> expected = predictor.scores(cells);
    const std::vector<Count> support = predictor.support(cells);
    Explainer explainer(one.model);
    for (const By by : {By::kFibers, By::kRows, By::kComponents})
      for (const int count : {0, 3, kAll})
        for (Count i = 0; i < cells.size(); ++i) {
          const Explanation found = explainer.explain(cells, i, {.by = by, .count = count});
          EXPECT_NEAR(found.sum, expected[i], kRounding) << one.name << " at " << i;
          EXPECT_EQ(found.value, found.sum);
          EXPECT_EQ(found.support, support[i]) << one.name;
          for (const ExplainedTerm& term : found.terms) {
            EXPECT_LE(term.entries.size() + term.components.size(), static_cast<std::size_t>(count));
            if (term.kind == ExplainedTerm::Kind::kCell || !term.known) continue;
            EXPECT_NEAR(sum_of(term, by), term.adds, kRounding) << one.name << " at " << i;
          }
        }
  }
}

// An entry of a part in dual form adds what the prediction loses when its z is 0.
TEST(Explainer, AnEntryOfADualModelAddsWhatIsLostWithoutIt) {
  Case data(4);
  const Cells cells = asked_cells(data.tensor, data.rng);
  int told = 0;
  for (const test::NamedModel& one : test::random_models(data.tensor, data.rng)) {
    if (one.model.latent() == nullptr || one.model.latent()->factored() || !one.model.fallback.empty())
      continue;
    Explainer explainer(one.model);
    for (Count i = 0; i < cells.size(); i += 4) {
      std::map<std::vector<Index>, double> adds;
      for (const ExplainedTerm& term : explainer.explain(cells, i, {.count = kAll}).terms) {
        EXPECT_NEAR(term.prior, 0.0, kRounding) << one.name;
        for (const ExplainedEntry& entry : term.entries) adds[entry.cell] += entry.adds;
      }
      const double before = Predictor(one.model).scores(cells)[i];
      for (Count e = 0; e < data.tensor.size(); e += 7) {
        Model without = one.model;
        Latent& latent = std::get<Latent>(*without.body);
        std::vector<double> z(latent.dual.values().begin(), latent.dual.values().end());
        z[e] = 0.0;
        latent.dual.replace_values(std::move(z));
        std::vector<Index> cell;
        for (int k = 0; k < 3; ++k) cell.push_back(data.tensor.index(k)[e]);
        const double lost = before - Predictor(without).scores(cells)[i];
        EXPECT_NEAR(adds.count(cell) > 0 ? adds[cell] : 0.0, lost, kRounding) << one.name;
        told += adds.count(cell) > 0 ? 1 : 0;
      }
    }
  }
  EXPECT_GT(told, 20);
}

// A model in factored form that leaves nothing of its entries and claims no noise: a fiber with more entries than the
// rank has columns is what they say, and the prior has nothing to add. With much noise it is all prior.
TEST(Explainer, AFactoredPartRestsOnItsEntriesAsFarAsNoiseAllows) {
  Rng rng(5);
  Entries entries{.cells = Cells(2), .value = {}};
  for (Index i = 0; i < 12; ++i)
    for (Index j = 0; j < 10; ++j)
      if ((i + j) % 4 != 0) {
        entries.cells.add({i, j});
        entries.value.push_back(0.0);
      }
  const ObservedTensor tensor = *ObservedTensor::create(test::plain_modes({12, 10}), std::move(entries));
  Model model;
  model.method = "als";
  model.modes = tensor.modes();
  Latent latent;
  latent.parts.push_back(test::random_part(tensor, {.mode = 0, .agree = {1}}, 3, true, rng));
  latent.dual = tensor;
  model.body = ModelBody(std::move(latent));
  for (const auto& [noise, prior] : {std::pair{1e-6, 0.0}, std::pair{1e6, 1.0}}) {
    model.record.set("noise", noise);
    Explainer explainer(model);
    Cells cells(2);
    cells.add({2, 2});
    for (const By by : {By::kFibers, By::kRows}) {
      const Explanation found = explainer.explain(cells, 0, {.by = by, .count = kAll});
      ASSERT_EQ(found.terms.size(), 1U);
      EXPECT_NEAR(found.terms[0].prior, prior * found.sum, 1e-6) << noise;
      EXPECT_EQ(found.terms[0].by_rows, by == By::kRows);
      for (const ExplainedEntry& entry : found.terms[0].entries) {
        EXPECT_EQ(entry.cell[by == By::kRows ? 0 : 1], 2U);
        // Nothing is left of the entries, so what all else leaves of one is its value.
        EXPECT_NEAR(*entry.value, entry.left, kRounding);
      }
    }
  }
}

TEST(Explainer, TellsTheLogOddsOfALink) {
  Rng rng(6);
  Case data(7);
  for (const bool one_set : {false, true}) {
    const std::vector<Index> extents{7, 3, 7};
    Model model;
    model.method = "complex";
    model.modes = test::plain_modes(extents);
    model.body = ModelBody(test::random_complex(extents, {.one_set = one_set}, 4, rng));
    Explainer explainer(model);
    Cells cells = test::random_cells(extents, 20, rng);
    cells.add({kUnseen, 1, 2});
    const std::vector<double> expected = Predictor(model).scores(cells);
    for (Count i = 0; i < cells.size(); ++i) {
      const Explanation found = explainer.explain(cells, i, {.count = 2});
      ASSERT_EQ(found.terms.size(), 1U);
      const ExplainedTerm& term = found.terms[0];
      EXPECT_NEAR(found.sum, expected[i], kRounding);
      EXPECT_NEAR(1.0 / (1.0 + std::exp(-term.log_odds)), term.adds, kRounding);
      double sum = term.constant + term.other_components.adds;
      for (const double bias : term.biases) sum += bias;
      for (const ExplainedComponent& component : term.components) sum += component.adds;
      EXPECT_NEAR(sum, term.log_odds, 1e-5);  // the model's products are in float
    }
  }
}

TEST(Explainer, TheClipIsWhatTheValueAndTheSumDifferBy) {
  Case data(8);
  Model model = test::bare_model(data.tensor, data.rng);
  model.clip = Range{.low = 0.7, .high = 0.8};
  Explainer explainer(model);
  const Cells cells = asked_cells(data.tensor, data.rng);
  const std::vector<double> value = Predictor(model).predict(cells).value;
  for (Count i = 0; i < cells.size(); ++i) EXPECT_EQ(explainer.explain(cells, i).value, value[i]);
}

TEST(Explainer, TheStrongestComeFirstAndTheOthersAreCounted) {
  Case data(9);
  for (const test::NamedModel& one : test::random_models(data.tensor, data.rng)) {
    Explainer explainer(one.model);
    const Explanation all = explainer.explain(data.tensor.cells(), 5, {.count = kAll});
    const Explanation few = explainer.explain(data.tensor.cells(), 5, {.count = 2});
    ASSERT_EQ(all.terms.size(), few.terms.size());
    for (std::size_t t = 0; t < all.terms.size(); ++t) {
      const auto& entries = all.terms[t].entries;
      for (std::size_t e = 1; e < entries.size(); ++e)
        EXPECT_GE(std::abs(entries[e - 1].adds), std::abs(entries[e].adds));
      EXPECT_EQ(few.terms[t].entries.size() + static_cast<std::size_t>(few.terms[t].other_entries.count),
                entries.size());
      for (std::size_t e = 0; e < few.terms[t].entries.size(); ++e)
        EXPECT_EQ(few.terms[t].entries[e].cell, entries[e].cell);
    }
  }
}

TEST(Explainer, RefusesCellsOfAnotherOrder) {
  Case data(10);
  const Model model = test::bare_model(data.tensor, data.rng);
  Explainer explainer(model);
  Cells cells(2);
  cells.add({1, 1});
  EXPECT_THROW((void)explainer.explain(cells, 0), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
