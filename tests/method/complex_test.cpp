// SPDX-License-Identifier: MIT
// What method complex owes its users: the contract of the others, as far as it fits facts.
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/method/fit_once.hpp>
#include <lacuna/tensor/tensor.hpp>

#include "model/body.hpp"
#include "support/links.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::GroupGraph;

Settings complex_settings(int rank = 8, int passes = 30) {
  Settings settings;
  settings.method = Method::kComplEx;
  settings.ranks = {rank};
  settings.max_iterations = passes;
  return settings;
}

GroupGraph small_graph() {
  Rng rng(41);
  return test::group_graph(36, 4, 3, 0.15, rng);
}

Ranking rank_of(const Model& model, const GroupGraph& graph, const std::vector<int>& modes) {
  return rank_facts(Predictor(model), extents(graph.modes), graph.test, graph.train, modes);
}

TEST(ComplEx, FindsTheHeldOutFactsOfARule) {
  const GroupGraph graph = small_graph();
  const FitResult result = fit_once(test::facts_tensor(graph.modes, graph.train), complex_settings());
  EXPECT_GT(rank_of(result.model, graph, {0, 2}).mrr, 0.99);
  EXPECT_GT(rank_of(result.model, graph, {1}).mrr, 0.95);
}

TEST(ComplEx, FindsThemFromCellsOfBothKinds) {
  const GroupGraph graph = small_graph();
  const std::vector<int> both{0, 2};
  const ObservedTensor cells = with_negatives(test::facts_tensor(graph.modes, graph.train), both, 2, 5);
  const FitResult result = fit_once(cells, complex_settings());
  EXPECT_GT(rank_of(result.model, graph, {0, 2}).mrr, 0.95);
  ASSERT_NE(result.model.record.find("loss"), nullptr);
  EXPECT_EQ(std::get<std::string>(*result.model.record.find("loss")), "logistic");
  // Heads are ranked by what tails are ranked by: there is one tensor.
  const Predictor predictor(result.model);
  for (const double value : predictor.predict(graph.test).value) EXPECT_GT(value, 0.5);
}

TEST(ComplEx, TheLogisticLossDrawsWhatIsNoFactAnewInEachPass) {
  const GroupGraph graph = small_graph();
  const ObservedTensor facts = test::facts_tensor(graph.modes, graph.train);
  Settings settings = complex_settings();
  settings.loss = Loss::kLogistic;
  settings.links.negatives = 4;
  const FitResult result = fit_once(facts, settings);
  EXPECT_GT(rank_of(result.model, graph, {0, 2}).mrr, 0.95);
  EXPECT_EQ(std::get<double>(*result.model.record.find("negatives")), 4.0);

  const LinkRoles roles = link_roles(graph.modes);
  const LinkEntries entries = link_entries(facts, roles, 1.0);
  const LinkQuestions known = link_questions(entries, false, 3);
  Rng rng(9);
  const auto shape = test::random_complex(extents(graph.modes), roles, 2, rng);
  const LinkEntries one = with_corrupted(entries, known, shape, 3, rng);
  const LinkEntries other = with_corrupted(entries, known, shape, 3, rng);
  EXPECT_EQ(one.size(), 4 * entries.size());
  EXPECT_NE(one.head, other.head);
  for (Count e = 0; e < one.size(); ++e)
    EXPECT_EQ(knows(known, one.head[e], one.relation[e], one.tail[e]), one.label[e] == 1.0F);
}

TEST(ComplEx, HeadsAndTailsMayBeOfDifferentKinds) {
  Rng rng(42);
  Cells train(3);
  Cells held(3);
  for (Index h = 0; h < 24; ++h)
    for (Index t = 0; t < 40; ++t)
      for (Index r = 0; r < 3; ++r)
        if ((h + r) % 4 == t % 4) (rng.uniform() < 0.15 ? held : train).add({t, h, r});
  const std::vector<Mode> modes = test::plain_modes({40, 24, 3});
  const FitResult result = fit_once(test::facts_tensor(modes, train), complex_settings());
  const auto& x = std::get<lacuna::ComplEx>(*result.model.body);
  EXPECT_EQ(x.roles.relation, 2);
  EXPECT_FALSE(x.roles.one_set);
  const std::vector<int> ranked{0, 1};
  EXPECT_GT(rank_facts(Predictor(result.model), {40, 24, 3}, held, train, ranked).mrr, 0.95);
}

TEST(ComplEx, PredictsProbabilitiesAndTheirErrorIsTheTrainError) {
  const GroupGraph graph = small_graph();
  const ObservedTensor facts = test::facts_tensor(graph.modes, graph.train);
  const FitResult result = fit_once(facts, complex_settings(8, 8));
  Rng rng(43);
  const Cells anywhere = test::random_cells({40, 5, 40}, 300, rng);  // and beyond
  const auto prediction = Predictor(result.model).predict(anywhere);
  EXPECT_GT(prediction.cold, 0);
  for (const double value : prediction.value) {
    EXPECT_GE(value, 0.0);
    EXPECT_LE(value, 1.0);
  }
  EXPECT_NEAR(rmse(facts.values(), Predictor(result.model).predict(facts.cells()).value),
              result.last.train_rmse, 1e-12);
}

TEST(ComplEx, SameBitsAtAnyThreadCountAndForTheSameSeed) {
  const GroupGraph graph = small_graph();
  const std::vector<int> both{0, 2};
  const ObservedTensor facts = test::facts_tensor(graph.modes, graph.train);
  for (const ObservedTensor& tensor : {facts, with_negatives(facts, both, 1, 5)}) {
    std::vector<double> first;
    for (const int threads : {1, 2, 3}) {
      const test::WithThreads scope(threads);
      const FitResult result = fit_once(tensor, complex_settings(8, 3));
      const auto value = Predictor(result.model).predict(tensor.cells()).value;
      if (first.empty()) first = value;
      EXPECT_TRUE(test::same_bits<double>(first, value)) << threads << " threads";
    }
    Settings other = complex_settings(8, 3);
    other.seed = 2;
    EXPECT_FALSE(test::same_bits<double>(
        first, Predictor(fit_once(tensor, other).model).predict(tensor.cells()).value));
  }
}

TEST(ComplEx, PredictsAndRanksTheSameAfterSavingAndLoading) {
  const GroupGraph graph = small_graph();
  const FitResult result = fit_once(test::facts_tensor(graph.modes, graph.train), complex_settings(8, 4));
  const std::string path = testing::TempDir() + "complex." + std::to_string(getpid()) + ".lac";
  ASSERT_TRUE(save_model(path, result.model));
  const auto loaded = load_model(path);
  std::filesystem::remove(path);
  ASSERT_TRUE(loaded) << loaded.error().message();
  EXPECT_EQ(kind_name(*loaded), "complex");
  EXPECT_EQ(ranks(*loaded), std::vector<int>{8});
  EXPECT_TRUE(test::same_bits<double>(Predictor(result.model).predict(graph.test).value,
                                      Predictor(*loaded).predict(graph.test).value));
  EXPECT_EQ(rank_of(result.model, graph, {0, 1, 2}).mrr, rank_of(*loaded, graph, {0, 1, 2}).mrr);
}

TEST(ComplEx, TellsTheRankingOfTestFactsAfterEachPass) {
  const GroupGraph graph = small_graph();
  const Entries test{.cells = graph.test,
                     .value = std::vector<double>(static_cast<std::size_t>(graph.test.size()), 1.0)};
  const FitResult result =
      fit_once(test::facts_tensor(graph.modes, graph.train), complex_settings(8, 4), {}, &test);
  ASSERT_TRUE(result.last.test_mrr);
  EXPECT_NEAR(*result.last.test_mrr, rank_of(result.model, graph, {0, 2}).mrr, 1e-12);
  EXPECT_EQ(result.last.test_error(), 1.0 - *result.last.test_mrr);
}

TEST(ComplEx, StopsOnTheCallbacksWordAndAtTheTimeLimit) {
  const GroupGraph graph = small_graph();
  const ObservedTensor facts = test::facts_tensor(graph.modes, graph.train);
  FitCallbacks callbacks;
  callbacks.progress = [](const FitProgress& progress) {
    return progress.iteration >= 2 ? Flow::kStop : Flow::kContinue;
  };
  const FitResult told = fit_once(facts, complex_settings(), callbacks);
  EXPECT_EQ(told.stop_reason, "interrupted");
  EXPECT_EQ(told.last.iteration, 2);
  Settings hasty = complex_settings();
  hasty.max_time = 1e-9;
  const FitResult late = fit_once(facts, hasty);
  EXPECT_EQ(late.stop_reason, "time limit reached");
  for (const double value : Predictor(late.model).predict(graph.test).value)
    EXPECT_TRUE(std::isfinite(value));
  int polls = 0;
  FitCallbacks polled;
  polled.interrupted = [&] { return ++polls > 5; };
  EXPECT_EQ(fit_once(facts, complex_settings(), polled).reason, StopReason::kStopped);
}

TEST(ComplEx, RefusesWhatItCannotDo) {
  const GroupGraph graph = small_graph();
  const ObservedTensor facts = test::facts_tensor(graph.modes, graph.train);
  const auto refused = [&](const ObservedTensor& tensor, auto&& change) {
    Settings changed = complex_settings(4, 1);
    change(changed);
    EXPECT_THROW((void)fit_once(tensor, changed), std::invalid_argument);
  };
  const auto nothing = [](Settings&) {};
  refused(facts, [](Settings& s) { s.ranks = {0}; });
  refused(facts, [](Settings& s) { s.ranks = {1, 2}; });
  refused(facts, [](Settings& s) { s.lambda = 1.0; });
  refused(facts, [](Settings& s) { s.loss = Loss::kSquared; });
  refused(facts, [](Settings& s) {  // without a cell that is no fact
    s.loss = Loss::kLogistic;
    s.links.negatives = 0;
  });
  refused(facts, [](Settings& s) { s.links.penalty = -1.0; });
  refused(facts, [](Settings& s) { s.offsets = OffsetSpec{.mean = true}; });
  Rng rng(44);
  refused(test::low_rank_tensor({6, 6, 6}, 1, 50, 0.1, rng), nothing);  // values other than 0 and 1
  refused(*ObservedTensor::create(test::plain_modes({3, 3}), {.cells = {{0}, {1}}, .value = {1.0}}), nothing);
  refused(*ObservedTensor::create(test::plain_modes({3, 2, 3}), {.cells = {{0}, {1}, {1}}, .value = {0.0}}),
          nothing);
}

TEST(ComplEx, OneFactAloneGivesFiniteAnswers) {
  const ObservedTensor one = test::facts_tensor(test::plain_modes({3, 2, 3}), {{0}, {1}, {2}});
  const FitResult result = fit_once(one, complex_settings(4, 3));
  for (const double value : Predictor(result.model).predict({{0, 1}, {1, 0}, {2, 2}}).value)
    EXPECT_TRUE(std::isfinite(value));
}

TEST(LinkRoles, AreFoundFromWhatModesShare) {
  std::vector<Mode> modes = test::plain_modes({5, 5, 2});
  EXPECT_EQ(link_roles(modes), (LinkRoles{.head = 0, .relation = 2, .tail = 1, .one_set = true}));
  modes = test::plain_modes({4, 3, 5});
  EXPECT_EQ(link_roles(modes), (LinkRoles{.head = 0, .relation = 1, .tail = 2, .one_set = false}));
  modes = test::plain_modes({4, 4, 4});  // nothing tells: the last of the smallest is the relation
  EXPECT_EQ(link_roles(modes), (LinkRoles{.head = 0, .relation = 2, .tail = 1, .one_set = false}));
  modes[2].same_as = 0;
  EXPECT_EQ(link_roles(modes), (LinkRoles{.head = 0, .relation = 1, .tail = 2, .one_set = true}));
  modes = test::plain_modes({2, 2, 3});
  modes[0].labels = {"a", "b"};
  modes[1].labels = {"c", "d"};  // of the same number, but others
  EXPECT_FALSE(link_roles(modes).one_set);
  modes[1].labels = modes[0].labels;
  EXPECT_EQ(link_roles(modes), (LinkRoles{.head = 0, .relation = 2, .tail = 1, .one_set = true}));
  EXPECT_THROW((void)link_roles(test::plain_modes({2, 2})), std::invalid_argument);
}

}  // namespace
}  // namespace lacuna
