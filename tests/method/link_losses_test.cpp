// SPDX-License-Identifier: MIT
// The losses of links and their gradients against sums written out in double.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "method/links/logistic_loss.hpp"
#include "method/links/softmax_loss.hpp"
#include "support/links.hpp"
#include "support/taylor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::Tables;

constexpr float kPenalty = 0.05F;
const std::vector<Index> kExtents = {9, 3, 7};
const LinkRoles kRoles[] = {{.head = 0, .relation = 1, .tail = 2, .one_set = false},
                            {.head = 0, .relation = 1, .tail = 2, .one_set = true}};

std::vector<Index> extents_of(const LinkRoles& roles) {
  return roles.one_set ? std::vector<Index>{8, 3, 8} : kExtents;
}

LinkEntries random_entries(const LinkRoles& roles, bool facts_only, Rng& rng) {
  const std::vector<Index> extents = extents_of(roles);
  std::vector<Mode> modes = test::plain_modes(extents);
  const Cells cells = test::random_cells(extents, 40, rng);
  Entries entries{.cells = cells, .value = {}};
  for (Count e = 0; e < cells.size(); ++e) {
    entries.value.push_back(facts_only || e % 3 == 0 ? 1.0 : 0.0);
    entries.weight.push_back(0.5 + rng.uniform());
  }
  const auto tensor = ObservedTensor::create(modes, std::move(entries), Duplicates::kLast);
  return link_entries(*tensor, roles, 1.0);
}

struct Gradient {
  Eigen::MatrixXd entities;
  Eigen::MatrixXd relations;

  explicit Gradient(const ComplEx& x)
      : entities(Eigen::MatrixXd::Zero(x.entities.rows(), x.entities.cols())),
        relations(Eigen::MatrixXd::Zero(x.relations.rows(), x.relations.cols())) {}
  MoveRow taker() {
    return [this](bool entity, Index row, const float* gradient) {
      Eigen::MatrixXd& table = entity ? entities : relations;
      for (Eigen::Index c = 0; c < table.cols(); ++c) table(row, c) += static_cast<double>(gradient[c]);
    };
  }
};

// The gradient is right when the error of the linear model vanishes with the square of the step.
template <class Objective>
void expect_gradient_of(const Objective& objective, const ComplEx& x, const Gradient& gradient, Rng& rng) {
  const Tables at(x);
  Tables direction(x);
  for (Eigen::MatrixXd* table : {&direction.entities, &direction.relations}) {
    table->setZero();
    for (Eigen::Index i = 0; i < table->rows(); ++i)
      for (int c = 0; c < 2 * x.rank; ++c) (*table)(i, c) = rng.normal();
  }
  const double slope = (gradient.entities.array() * direction.entities.array()).sum() +
                       (gradient.relations.array() * direction.relations.array()).sum();
  const auto error = [&](double t) {
    Tables moved = at;
    moved.entities += t * direction.entities;
    moved.relations += t * direction.relations;
    return objective(moved) - objective(at) - t * slope;
  };
  EXPECT_NEAR(test::taylor_slope(error, {.largest = 0.05, .steps = 5}), 2.0, 0.15);
}

// log Z from the candidates drawn, all if none are, and the answers.
double naive_log_sum(const Tables& at, const LinkQuestions& questions, const LinkQuery& query,
                     const std::vector<Index>& candidates, double population) {
  std::set<Index> answers;
  for (Count a = query.begin; a < query.end; ++a) answers.insert(questions.answers[a]);
  double sum = 0.0;
  double others = 0.0;
  double count = 0.0;
  for (const Index answer : answers) sum += std::exp(at.product(query.known, query.relation, answer));
  for (const Index j : candidates)
    if (!answers.contains(j)) {
      others += std::exp(at.product(query.known, query.relation, j));
      count += 1.0;
    }
  if (count > 0.0) sum += others * (population - static_cast<double>(answers.size())) / count;
  return std::log(sum);
}

double naive_softmax(const Tables& at, const LinkQuestions& questions, const std::vector<Index>& queries,
                     const std::vector<Index>& candidates, double population, double penalty) {
  double loss = 0.0;
  for (const Index which : queries) {
    const LinkQuery& query = questions.queries[which];
    const double log_sum = naive_log_sum(at, questions, query, candidates, population);
    for (Count a = query.begin; a < query.end; ++a)
      loss += questions.weight[a] * (log_sum - at.product(query.known, query.relation, questions.answers[a]) +
                                     penalty * (Tables::cubes(at.entities, query.known, at.rank) +
                                                Tables::cubes(at.relations, query.relation, at.rank) +
                                                Tables::cubes(at.entities, questions.answers[a], at.rank)));
  }
  return loss;
}

struct SoftmaxCase {
  LinkRoles roles;
  bool backward;
  Count sampled;
};

void expect_softmax(const SoftmaxCase& on, Rng& rng) {
  const std::vector<Index> extents = extents_of(on.roles);
  ComplEx x = test::random_complex(extents, on.roles, 3, rng);
  const LinkQuestions questions =
      link_questions(random_entries(on.roles, true, rng), on.backward, extents[1]);
  std::vector<Index> queries;
  for (Index i = 0; i < questions.queries.size(); i += 2) queries.push_back(i);
  const Index begin = on.backward ? 0 : x.tails_from;
  const Index population = on.backward ? x.head_count() : x.tail_count();
  std::set<Index> drawn;
  Rng replay(31);
  for (Count i = 0; i < on.sampled; ++i) drawn.insert(begin + static_cast<Index>(replay.below(population)));
  if (on.sampled == 0)
    for (Index j = 0; j < population; ++j) drawn.insert(begin + j);
  const std::vector<Index> candidates(drawn.begin(), drawn.end());
  SoftmaxLoss loss(x, on.sampled, kPenalty);
  Gradient gradient(x);
  Rng draws(31);
  const double found = loss.batch(x, questions, queries, on.backward, draws, gradient.taker());
  const auto objective = [&](double penalty) {
    return [&, penalty](const Tables& at) {
      return naive_softmax(at, questions, queries, candidates, population, penalty);
    };
  };
  EXPECT_NEAR(found, objective(0.0)(Tables(x)), 1e-4 * std::abs(found));
  expect_gradient_of(objective(kPenalty), x, gradient, rng);
}

TEST(SoftmaxLoss, AndItsGradientAreThoseOfTheSumOverAllCandidates) {
  Rng rng(1);
  for (const LinkRoles& roles : kRoles)
    for (const bool backward : {false, true}) expect_softmax({roles, backward, 0}, rng);
}

TEST(SoftmaxLoss, AndItsGradientAreThoseOfTheEstimateFromDrawnCandidates) {
  Rng rng(2);
  for (const LinkRoles& roles : kRoles)
    for (const bool backward : {false, true})
      for (const Count sampled : {2, 5}) expect_softmax({roles, backward, sampled}, rng);
}

TEST(SoftmaxLoss, TheEstimateFromAllCandidatesIsTheSum) {
  Rng rng(3);
  const ComplEx x = test::random_complex(kExtents, kRoles[0], 3, rng);
  const LinkQuestions questions = link_questions(random_entries(kRoles[0], true, rng), false, kExtents[1]);
  const std::vector<Index> queries{0, 1, 4};
  double first = 0.0;
  for (const Count sampled : {Count{0}, Count{kExtents[2]}, Count{1000}}) {
    SoftmaxLoss loss(x, sampled, kPenalty);
    Rng draws(1);
    const double found = loss.batch(x, questions, queries, false, draws, [](bool, Index, const float*) {});
    if (sampled == 0) first = found;
    EXPECT_EQ(found, first);
  }
  // So do all candidates in the formula of the estimate.
  std::vector<Index> all;
  for (Index j = 0; j < kExtents[2]; ++j) all.push_back(x.tails_from + j);
  EXPECT_NEAR(naive_softmax(Tables(x), questions, queries, all, kExtents[2], 0.0), first,
              1e-4 * std::abs(first));
}

// Enough candidates and queries for several chunks and blocks.
TEST(SoftmaxLoss, SameBitsAtAnyThreadCount) {
  Rng rng(4);
  const std::vector<Index> extents{1500, 4, 1500};
  const LinkRoles roles = kRoles[1];
  const ComplEx x = test::random_complex(extents, roles, 6, rng);
  const ObservedTensor facts =
      test::facts_tensor(test::plain_modes(extents), test::random_cells(extents, 900, rng));
  const LinkQuestions questions = link_questions(link_entries(facts, roles, 1.0), false, extents[1]);
  std::vector<Index> queries(100);
  for (Index i = 0; i < 100; ++i) queries[i] = 3 * i;
  for (const Count sampled : {Count{0}, Count{700}}) {
    std::vector<Gradient> found;
    std::vector<double> losses;
    for (const int threads : {1, 2, 3}) {
      const test::WithThreads scope(threads);
      SoftmaxLoss loss(x, sampled, kPenalty);
      Rng draws(1);
      found.emplace_back(x);
      losses.push_back(loss.batch(x, questions, queries, false, draws, found.back().taker()));
      EXPECT_EQ(losses.back(), losses.front());
      EXPECT_EQ((found.back().entities - found.front().entities).cwiseAbs().maxCoeff(), 0.0);
      EXPECT_EQ((found.back().relations - found.front().relations).cwiseAbs().maxCoeff(), 0.0);
    }
  }
}

double naive_logistic(const Tables& at, const LinkEntries& entries, const std::vector<Index>& cells,
                      const ComplEx& x, double penalty) {
  double loss = 0.0;
  for (const Index e : cells) {
    const double f = at.product(entries.head[e], entries.relation[e], entries.tail[e]) +
                     at.entities(entries.head[e], x.head_bias()) +
                     at.entities(entries.tail[e], x.tail_bias()) +
                     at.relations(entries.relation[e], x.relation_bias());
    loss += entries.weight[e] * (std::log1p(std::exp(f)) - entries.label[e] * f +
                                 penalty * (Tables::cubes(at.entities, entries.head[e], at.rank) +
                                            Tables::cubes(at.relations, entries.relation[e], at.rank) +
                                            Tables::cubes(at.entities, entries.tail[e], at.rank)));
  }
  return loss;
}

TEST(LogisticLoss, AndItsGradientAreThoseOfTheSumOverCells) {
  Rng rng(5);
  for (const LinkRoles& roles : kRoles) {
    const ComplEx x = test::random_complex(extents_of(roles), roles, 3, rng);
    const LinkEntries entries = random_entries(roles, false, rng);
    std::vector<Index> cells;
    for (Index e = 0; e < entries.size(); e += 2) cells.push_back(e);
    LogisticLoss loss(x, kPenalty);
    Gradient gradient(x);
    const double found = loss.batch(x, entries, cells, gradient.taker());
    EXPECT_NEAR(found, naive_logistic(Tables(x), entries, cells, x, 0.0), 1e-4 * std::abs(found));
    expect_gradient_of([&](const Tables& at) { return naive_logistic(at, entries, cells, x, kPenalty); }, x,
                       gradient, rng);
    // The biases' own.
    double sum = 0.0;
    for (const Index e : cells) {
      const LinkScore score =
          link_score(x, entries.head[e], entries.relation[e], entries.tail[e] - x.tails_from);
      sum += entries.weight[e] * (1.0 / (1.0 + std::exp(-score.forward)) - entries.label[e]);
    }
    EXPECT_NEAR(gradient.entities.col(x.head_bias()).sum(), sum, 1e-4);
    EXPECT_NEAR(gradient.entities.col(x.tail_bias()).sum(), sum, 1e-4);
    EXPECT_NEAR(gradient.relations.col(x.relation_bias()).sum(), sum, 1e-4);
  }
}

TEST(LinkQuestions, FactsThatShareAQueryAreItsAnswers) {
  Rng rng(6);
  const LinkEntries entries = random_entries(kRoles[0], false, rng);
  for (const bool backward : {false, true}) {
    const LinkQuestions questions = link_questions(entries, backward, kExtents[1]);
    std::multiset<std::vector<Index>> expected;
    for (Count e = 0; e < entries.size(); ++e)
      if (entries.label[e] != 0.0F)
        expected.insert(
            backward ? std::vector<Index>{entries.tail[e], entries.relation[e] + kExtents[1], entries.head[e]}
                     : std::vector<Index>{entries.head[e], entries.relation[e], entries.tail[e]});
    std::multiset<std::vector<Index>> found;
    for (std::size_t q = 0; q < questions.queries.size(); ++q) {
      const LinkQuery& query = questions.queries[q];
      if (q > 0) {
        const LinkQuery& last = questions.queries[q - 1];
        EXPECT_LT(std::pair(last.known, last.relation), std::pair(query.known, query.relation));
      }
      EXPECT_LT(query.begin, query.end);
      for (Count a = query.begin; a < query.end; ++a)
        found.insert({query.known, query.relation, questions.answers[a]});
    }
    EXPECT_EQ(found, expected);
  }
}

}  // namespace
}  // namespace lacuna
