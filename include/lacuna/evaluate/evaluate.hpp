// SPDX-License-Identifier: MIT
// How good answers are: errors, rankings of facts, and whether probabilities keep what they promise.
#pragma once

#include <cstdint>
#include <lacuna/base/base.hpp>
#include <lacuna/model/model.hpp>
#include <optional>
#include <span>
#include <vector>

namespace lacuna {

[[nodiscard]] double rmse(std::span<const double> truth, std::span<const double> predicted);
[[nodiscard]] double mae(std::span<const double> truth, std::span<const double> predicted);
// 1 - sum (y - w)^2 / sum (y - mean y)^2; nothing when the truth is constant.
[[nodiscard]] std::optional<double> r_squared(std::span<const double> truth,
                                              std::span<const double> predicted);

// Are all values 0 or 1, with both present? Then an AUC makes sense.
[[nodiscard]] bool is_binary(std::span<const double> truth);

// Area under the ROC curve: the probability that a random 1 scores above a random 0, ties counted half.
// Nothing unless is_binary(truth).
[[nodiscard]] std::optional<double> auc(std::span<const double> truth, std::span<const double> score);

// Ranking of facts: among all cells that differ from a fact in one index only, how high does the fact score?

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

// Whether probabilities keep what they promise: of the cells said to be 1 with probability p, is a share p of them 1?

struct ReliabilityBin {
  double low = 0.0;        // predictions of at least this,
  double high = 0.0;       // and below this; the last bin has 1, too
  std::int64_t cells = 0;  // how many
  double predicted = 0.0;  // their mean
  double observed = 0.0;   // share of those whose value is 1
};

// So many bins of equal width between 0 and 1; predictions outside count as 0 or 1. Those of a bin without cells are
// 0. Throws std::invalid_argument without a bin, or on lists of different lengths.
[[nodiscard]] std::vector<ReliabilityBin> reliability(std::span<const double> truth,
                                                      std::span<const double> predicted, int bins = 10);

// The mean distance between both, each cell counted once: 0 for probabilities that keep what they promise.
[[nodiscard]] double calibration_error(std::span<const ReliabilityBin> bins);

}  // namespace lacuna
