// SPDX-License-Identifier: MIT
#include <algorithm>
#include <lacuna/evaluate/ranking.hpp>

#include "tensor/lexicographic_order.hpp"

namespace lacuna {
namespace {

constexpr Count kCellsAtOnce = 1 << 18;  // predicted in one call

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

Ranking rank_facts(const Predictor& predictor, const std::vector<Index>& extents, const Cells& facts,
                   const Cells& known, std::span<const int> modes, const Interrupted& interrupted) {
  Cells all = facts;
  all.append(known);
  const Count count = facts.size();
  Ranking ranking;
  for (const int mode : modes) {
    const FactsAlong along(all, mode);
    const Count extent = extents[mode];
    const Count batch = std::max<Count>(1, kCellsAtOnce / extent);
    for (Count first = 0; first < count; first += batch) {
      if (interrupted && interrupted()) break;
      const Count last = std::min(first + batch, count);
      Cells cells(facts.order());
      std::vector<Index> cell(static_cast<std::size_t>(facts.order()));
      for (Count i = first; i < last; ++i) {
        for (int k = 0; k < facts.order(); ++k) cell[k] = facts[k][i];
        for (Index j = 0; j < extents[mode]; ++j) {
          cell[mode] = j;
          cells.add(cell);
        }
      }
      const std::vector<double> scores = predictor.predict(cells).value;
      std::vector<Index> others;
      for (Count i = first; i < last; ++i) {
        along.positions(i, others);
        const double rank =
            realistic_rank(std::span(scores).subspan(static_cast<std::size_t>((i - first) * extent),
                                                     static_cast<std::size_t>(extent)),
                           facts[mode][i], others);
        ++ranking.queries;
        ranking.mrr += 1.0 / rank;
        ranking.hits1 += rank <= 1.0 ? 1.0 : 0.0;
        ranking.hits3 += rank <= 3.0 ? 1.0 : 0.0;
        ranking.hits10 += rank <= 10.0 ? 1.0 : 0.0;
      }
    }
  }
  if (ranking.queries == 0) return ranking;
  for (double* sum : {&ranking.mrr, &ranking.hits1, &ranking.hits3, &ranking.hits10})
    *sum /= static_cast<double>(ranking.queries);
  return ranking;
}

}  // namespace lacuna
