// SPDX-License-Identifier: MIT
// From scores to probabilities: logistic regression of what held-out cells are on their scores (Platt 1999),
//
//   P(fact) = 1 / (1 + exp(-(c_0 + c_f f + c_g g))),   c_f, c_g >= 0
//
// Where the data list facts only, each held-out one is set against cells drawn at random, which count as much as it
// together: the probability is that of a cell which was as likely as not a fact before it was looked at.
#pragma once

#include "method/links/link_data.hpp"

namespace lacuna {

struct ScoredLinks {
  std::vector<LinkScore> score{};
  std::vector<double> label{};
  std::vector<double> weight{};
};

// The scores of these entries. Where none of them has label 0, two cells are drawn for each fact, with its head or its
// tail replaced, which are none of the facts of `known`.
[[nodiscard]] ScoredLinks score_links(const ComplEx& x, const LinkEntries& entries, const LinkEntries& known,
                                      Rng& rng);

// Sets c_0, c_f and, if both scores count, c_g. Leaves x as it is where there are too few to tell.
void calibrate(const ScoredLinks& links, bool both, ComplEx& x);

}  // namespace lacuna
