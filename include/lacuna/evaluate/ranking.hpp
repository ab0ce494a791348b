// SPDX-License-Identifier: MIT
// Ranking of facts: among all cells that differ from a fact in one index only, how high does the fact score?
#pragma once

#include <lacuna/base/interrupted.hpp>
#include <lacuna/model/model.hpp>
#include <span>
#include <vector>

namespace lacuna {

struct Ranking {
  Count queries = 0;  // facts times modes
  double mrr = 0.0;   // mean of 1 / rank
  double hits1 = 0.0;
  double hits3 = 0.0;
  double hits10 = 0.0;
};

// The place of scores[truth] among the scores, from 1, leaving out the positions `others`. Ties count
// realistically: the mean of the best and the worst place, so that a constant scorer gains nothing.
[[nodiscard]] double realistic_rank(std::span<const double> scores, std::size_t truth,
                                    std::span<const Index> others);

// For each fact and each of `modes`: all positions below extents[mode] are scored in place of the fact's own;
// those that make another fact, of `facts` or of `known`, are left out (the filtered setting). Cells beyond
// what the model has seen are scored as it predicts them. Stops early, with what it has, when interrupted.
[[nodiscard]] Ranking rank_facts(const Predictor& predictor, const std::vector<Index>& extents,
                                 const Cells& facts, const Cells& known, std::span<const int> modes,
                                 const Interrupted& interrupted = {});

}  // namespace lacuna
