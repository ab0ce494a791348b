// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <lacuna/base/base.hpp>
#include <lacuna/evaluate/evaluate.hpp>

#include "base/parallel.hpp"
#include "model/block_scorer.hpp"
#include "tensor/lexicographic_order.hpp"

namespace lacuna {
namespace {

// All facts sorted by the indices other than `mode`, so that those a query must leave out lie together.
class FactsAlong {
 public:
  FactsAlong(const Cells& facts, int mode) : facts_(&facts), mode_(mode) {
    for (int k = 0; k < facts.order(); ++k)
      if (k != mode) others_.push_back(k);
    order_ = lexicographic_order(facts, others_);
  }

  // Positions along the mode of the facts that agree with fact `which` elsewhere.
  void positions(Count which, std::vector<Index>& out) const {
    out.clear();
    const auto before = [&](Index a, Index b) {
      for (const int k : others_)
        if ((*facts_)[k][a] != (*facts_)[k][b]) return (*facts_)[k][a] < (*facts_)[k][b];
      return false;
    };
    const auto [begin, end] =
        std::equal_range(order_.begin(), order_.end(), static_cast<Index>(which), before);
    for (auto at = begin; at != end; ++at) out.push_back((*facts_)[mode_][*at]);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }

 private:
  const Cells* facts_;
  int mode_;
  std::vector<int> others_;
  std::vector<Index> order_;
};

}  // namespace

double realistic_rank(std::span<const double> scores, std::size_t truth, std::span<const Index> others) {
  const double own = scores[truth];
  Count above = 0;
  Count equal = 0;
  for (const double score : scores) {
    above += score > own ? 1 : 0;
    equal += score == own ? 1 : 0;
  }
  for (const Index other : others) {
    if (other == truth || other >= scores.size()) continue;
    above -= scores[other] > own ? 1 : 0;
    equal -= scores[other] == own ? 1 : 0;
  }
  return static_cast<double>(above) + 0.5 * static_cast<double>(equal + 1);
}

namespace {

// Lines are scored by blocks of about so many cells, on all threads; between batches of blocks whoever asked is
// asked whether to go on.
constexpr Count kCellsInABlock = 1 << 19;
constexpr Count kMostLinesInABlock = 64;
constexpr Count kBlocksInABatch = 64;

// The ranks of facts [first, last) along one mode.
void rank_block(const BlockScorer& scorer, const FactsAlong& along, const Cells& facts, Count first,
                Count last, std::span<double> rank) {
  std::vector<double> scores(static_cast<std::size_t>(scorer.room(last - first)));
  scorer.score(facts, first, last, scores);
  std::vector<Index> others;
  for (Count i = first; i < last; ++i) {
    along.positions(i, others);
    const std::span<const double> line(scores.data() + (i - first) * scorer.stride(),
                                       static_cast<std::size_t>(scorer.width()));
    if (!std::all_of(line.begin(), line.end(), [](double score) { return std::isfinite(score); }))
      throw ValueRangeError("the model's numbers are too large: a score is not finite");
    rank[i] = realistic_rank(line, facts[scorer.open().mode][i], others);
  }
}

}  // namespace

Ranking rank_facts(const Predictor& predictor, const std::vector<Index>& extents, const Cells& facts,
                   const Cells& known, std::span<const int> modes, const Interrupted& interrupted) {
  Cells all = facts;
  all.append(known);
  Ranking ranking;
  std::vector<double> rank(static_cast<std::size_t>(facts.size()));
  for (const int mode : modes) {
    const FactsAlong along(all, mode);
    const BlockScorer scorer(predictor, mode, extents[mode], LinksBy::kDirection);
    const Count block = std::clamp<Count>(kCellsInABlock / extents[mode], 1, kMostLinesInABlock);
    for (Count first = 0; first < facts.size(); first += kBlocksInABatch * block) {
      if (interrupted && interrupted()) break;
      const Count here = std::min(kBlocksInABatch * block, facts.size() - first);
      parallel_tasks(static_cast<int>((here + block - 1) / block), [&](int task) {
        const Count begin = first + task * block;
        rank_block(scorer, along, facts, begin, std::min(begin + block, first + here), rank);
      });
      for (Count i = first; i < first + here; ++i) {
        ++ranking.queries;
        ranking.mrr += 1.0 / rank[i];
        ranking.hits1 += rank[i] <= 1.0 ? 1.0 : 0.0;
        ranking.hits3 += rank[i] <= 3.0 ? 1.0 : 0.0;
        ranking.hits10 += rank[i] <= 10.0 ? 1.0 : 0.0;
      }
    }
  }
  if (ranking.queries == 0) return ranking;
  for (double* sum : {&ranking.mrr, &ranking.hits1, &ranking.hits3, &ranking.hits10})
    *sum /= static_cast<double>(ranking.queries);
  return ranking;
}

}  // namespace lacuna
