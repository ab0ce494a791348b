// SPDX-License-Identifier: MIT
// Choosing where there are nothing but facts.
#include "search/facts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/search/fit.hpp>
#include <lacuna/tensor/tensor.hpp>

#include "search/evaluator.hpp"
#include "support/links.hpp"
#include "support/threads.hpp"
#include "tensor/find_cell.hpp"

namespace lacuna {
namespace {

using test::GroupGraph;

GroupGraph small_graph() {
  Rng rng(41);
  return test::group_graph(24, 4, 3, 0.15, rng);
}

Settings of_facts(int negatives = 6) {
  Settings settings;
  settings.links.negatives = negatives;
  settings.search.effort = Effort::kLow;
  return settings;
}

double ranked(const Model& model, const GroupGraph& graph) {
  const std::vector<int> both{0, 2};
  return rank_facts(Predictor(model), extents(graph.modes), graph.test, graph.train, both).mrr;
}

TEST(Facts, AreOnesThatTheSettingsCallFacts) {
  const GroupGraph graph = small_graph();
  const ObservedTensor facts = test::facts_tensor(graph.modes, graph.train);
  EXPECT_TRUE(are_facts(facts, of_facts()));
  EXPECT_FALSE(are_facts(facts, Settings{}));
  EXPECT_FALSE(are_facts(facts, of_facts(0)));
  EXPECT_FALSE(are_facts(with_drawn(facts, of_facts()), of_facts()));
  Settings robust = of_facts();
  robust.loss = Loss::kHuber;
  EXPECT_FALSE(are_facts(facts, robust));
}

TEST(Facts, ASplitHoldsOutFactsAndZerosThatNothingLearnsFrom) {
  const GroupGraph graph = small_graph();
  const ObservedTensor facts = test::facts_tensor(graph.modes, graph.train);
  const auto split = split_facts(facts, of_facts(), 0.2, 7);
  ASSERT_TRUE(split);
  EXPECT_EQ(split->facts.size() + split->held.size(), facts.size());
  EXPECT_NEAR(static_cast<double>(split->held.size()), 0.2 * static_cast<double>(facts.size()), 40.0);
  EXPECT_GT(split->cells.kept.size(), 3 * split->facts.size());
  EXPECT_GT(split->cells.held.size(), split->held.size());
  std::vector<Index> cell(3);
  for (Count e = 0; e < split->cells.held.size(); ++e) {
    for (int k = 0; k < 3; ++k) cell[k] = split->cells.held.cells[k][e];
    const bool zero = split->cells.held.value[e] == 0.0;
    EXPECT_EQ(contains(facts, cell), !zero);
    // A held-out fact may have been drawn as a zero: whoever learns does not know better.
    EXPECT_FALSE(zero && contains(split->cells.kept, cell));
  }
}

TEST(Facts, TheChoiceIsByTheRankingOfHeldOutFacts) {
  const GroupGraph graph = small_graph();
  std::vector<std::string> said;
  FitCallbacks callbacks;
  callbacks.notice = [&](const std::string& sentence) { said.push_back(sentence); };
  const FitResult result = fit(test::facts_tensor(graph.modes, graph.train), of_facts(), callbacks);
  ASSERT_TRUE(result.held_out_mrr);
  EXPECT_GT(*result.held_out_mrr,
            0.7);  // the facts of the test are unknown, and rank above some that are held out
  EXPECT_GT(ranked(result.model, graph), 0.9);
  const auto mentions = [&](const std::string& word) {
    return std::any_of(said.begin(), said.end(),
                       [&](const std::string& one) { return one.find(word) != std::string::npos; });
  };
  EXPECT_TRUE(mentions("held-out MRR"));
  EXPECT_TRUE(mentions("complex, rank"));
  EXPECT_FALSE(mentions("held-out AUC"));
  EXPECT_FALSE(mentions("held-out RMSE"));
}

TEST(Facts, WhatIsChosenIsTheBestRankedOfAllTrials) {
  const GroupGraph graph = small_graph();
  const ObservedTensor facts = test::facts_tensor(graph.modes, graph.train);
  const Settings asked = of_facts();
  const FitCallbacks callbacks;
  const Stopwatch watch;
  Evaluator evaluator(facts, asked, callbacks, watch);
  ASSERT_TRUE(evaluator.can_hold_out());
  EXPECT_TRUE(evaluator.has_facts_alone());
  Settings mean;
  mean.method = Method::kMean;
  Settings als = asked;
  als.method = Method::kAls;
  const Trial floor = evaluator.judge(mean, "the mean");
  const Trial better = evaluator.judge(als, "als");
  ASSERT_TRUE(better.result->last.test_mrr);
  EXPECT_EQ(better.error, 1.0 - *better.result->last.test_mrr);
  EXPECT_LT(better.error, floor.error);
}

TEST(Facts, MethodsOfValuesLearnFromZerosDrawnForThem) {
  const GroupGraph graph = small_graph();
  Settings settings = of_facts();
  settings.method = Method::kAls;
  settings.ranks = {4};
  const FitResult drawn = fit(test::facts_tensor(graph.modes, graph.train), settings);
  EXPECT_EQ(drawn.model.observed.low, 0.0);
  EXPECT_GT(ranked(drawn.model, graph), 0.5);
  settings.links.negatives = 0;
  EXPECT_EQ(fit(test::facts_tensor(graph.modes, graph.train), settings).model.observed.low, 1.0);
}

TEST(Facts, OfTwoModesAreRankedAlongBoth) {
  Rng rng(5);
  Cells facts(2);
  for (Index u = 0; u < 30; ++u)
    for (Index i = 0; i < 30; ++i)
      if (u % 3 == i % 3 && rng.uniform() < 0.8) facts.add({u, i});
  const std::vector<Mode> modes = test::plain_modes({30, 30});
  EXPECT_EQ(ranked_modes(modes), (std::vector<int>{0, 1}));
  const FitResult result = fit(test::facts_tensor(modes, facts), of_facts());
  ASSERT_TRUE(result.held_out_mrr);
  EXPECT_GT(*result.held_out_mrr, 0.3);  // popularity alone: about 0.1
}

TEST(Facts, TheChoiceIsTheSameAtAnyThreadCount) {
  const GroupGraph graph = small_graph();
  std::vector<double> first;
  for (const int threads : {1, 2}) {
    const test::WithThreads scope(threads);
    const FitResult result = fit(test::facts_tensor(graph.modes, graph.train), of_facts());
    const auto value = Predictor(result.model).predict(graph.test).value;
    if (first.empty()) first = value;
    EXPECT_TRUE(test::same_bits<double>(first, value)) << threads << " threads";
  }
}

TEST(Facts, ALossOfLinksChoosesTheirMethod) {
  const GroupGraph graph = small_graph();
  Settings settings = of_facts();
  settings.loss = Loss::kLogistic;
  const FitResult result = fit(test::facts_tensor(graph.modes, graph.train), settings);
  EXPECT_EQ(result.model.method, "complex");
  EXPECT_EQ(std::get<std::string>(*result.model.record.find("loss")), "logistic");
  EXPECT_EQ(std::get<double>(*result.model.record.find("negatives")), 6.0);
  EXPECT_GT(ranked(result.model, graph), 0.9);
}

TEST(Negatives, AreFewerForEachOfManyFacts) {
  EXPECT_EQ(usual_negatives(1), 30);
  EXPECT_EQ(usual_negatives(272'115), 7);
  EXPECT_EQ(usual_negatives(100'000'000), 1);
}

}  // namespace
}  // namespace lacuna
