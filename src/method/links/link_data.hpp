// SPDX-License-Identifier: MIT
// Observed links as the methods of links see them: by rows of a table of entities and one of relations.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <span>
#include <vector>

#include "base/rng.hpp"
#include "model/complex.hpp"

namespace lacuna {

// Facts and, where there are any, cells known to be none. Heads are rows of entities from 0, tails from tails_from.
struct LinkEntries {
  std::vector<Index> head{};
  std::vector<Index> relation{};
  std::vector<Index> tail{};
  std::vector<float> label{};   // 1: a fact, 0: none
  std::vector<float> weight{};  // of each

  [[nodiscard]] Count size() const { return static_cast<Count>(head.size()); }
  void add(const LinkEntries& from, Count entry);
};

// Rows that entities need in all, and where tails begin.
[[nodiscard]] Index entity_rows(const std::vector<Mode>& modes, const LinkRoles& roles);
[[nodiscard]] Index first_tail(const std::vector<Mode>& modes, const LinkRoles& roles);

// `one` is the value of a fact, in the tensor's unit. Throws std::invalid_argument on a value that is neither 0 nor
// that, and where there is no fact.
[[nodiscard]] LinkEntries link_entries(const ObservedTensor& tensor, const LinkRoles& roles, double one);

// What is known of one entity by one relation: all facts that share both. They share one sum over all candidates,
// which is most of the work.
struct LinkQuery {
  Index known = 0;     // a row of entities: of the head forward, of the tail backward
  Index relation = 0;  // a row of relations: those that lead back come second
  Count begin = 0;     // its answers
  Count end = 0;
};

// The facts of one direction as questions: which tails has this head by this relation, or which heads this tail.
struct LinkQuestions {
  std::vector<LinkQuery> queries{};
  std::vector<Index> answers{};  // rows of entities
  std::vector<float> weight{};   // of each
};

// backward: which heads. relations: how many there are.
[[nodiscard]] LinkQuestions link_questions(const LinkEntries& entries, bool backward, Index relations);

// Whether a fact is among those of the forward questions. All are rows of the tables.
[[nodiscard]] bool knows(const LinkQuestions& forward, Index head, Index relation, Index tail);

// The facts and, for each, `for_each` cells of label 0: with its head and its tail, in turn, replaced by a random
// one, such that `known` has no such fact. Where none is found in a few draws there are fewer.
[[nodiscard]] LinkEntries with_corrupted(const LinkEntries& facts, const LinkQuestions& known,
                                         const ComplEx& x, int for_each, Rng& rng);

// About `share` of the entries, at most `most`, drawn at random; and the others.
struct LinkSplit {
  LinkEntries kept{};
  LinkEntries reserved{};
};
[[nodiscard]] LinkSplit reserve(const LinkEntries& entries, double share, Count most, Rng& rng);

}  // namespace lacuna
