// SPDX-License-Identifier: MIT
// Facts that a model has not learned from, to be ranked again and again as it learns.
#pragma once

#include <lacuna/evaluate/evaluate.hpp>
#include <lacuna/tensor/tensor.hpp>

namespace lacuna {

inline constexpr Count kMostRanked = 2500;  // facts: enough to tell models apart by a hundredth of MRR

// The modes whose positions are asked for: heads and tails of links, all modes of anything else.
[[nodiscard]] std::vector<int> ranked_modes(const std::vector<Mode>& modes);

class HeldFacts {
 public:
  // Of `facts` those at positions that the modes have, at most kMostRanked of them, evenly spread. Those of
  // `known`, and of `facts`, are never taken for wrong answers.
  HeldFacts(const std::vector<Mode>& modes, const Cells& facts, const Cells& known);

  [[nodiscard]] bool empty() const { return facts_.size() == 0; }
  // Filtered, of ranked_modes(). Not to be called without any fact.
  [[nodiscard]] double mrr(const Predictor& predictor) const;

 private:
  std::vector<Index> extents_;
  std::vector<int> modes_;
  Cells facts_;
  Cells known_;
};

}  // namespace lacuna
