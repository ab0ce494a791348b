// SPDX-License-Identifier: MIT
#include "evaluate/top_select.hpp"

#include <algorithm>
#include <numeric>

#include "tensor/lexicographic_order.hpp"

namespace lacuna {
bool BestCells::better(const Item& a, const Item& b) const {
  if (a.score != b.score) return a.score > b.score;
  if (a.row / within_ != b.row / within_) return a.row < b.row;
  return a.column != b.column ? a.column < b.column : a.row < b.row;
}

void BestCells::push(const Item& item) {
  const auto before = [this](const Item& a, const Item& b) { return better(a, b); };
  if (items_.size() == count_) {
    if (!better(item, items_.front())) return;
    std::pop_heap(items_.begin(), items_.end(), before);
    items_.back() = item;
  } else {
    items_.push_back(item);
  }
  std::push_heap(items_.begin(), items_.end(), before);
}

void BestCells::take(std::span<const double> scores, Count row, const std::vector<bool>& left_out) {
  for (std::size_t j = 0; j < scores.size(); ++j) {
    const double score = sign_ * scores[j];
    if (items_.size() == count_ && score < items_.front().score) continue;  // most end here
    if (!left_out[j]) push({.score = score, .row = row, .column = static_cast<Index>(j)});
  }
}

void BestCells::merge(const BestCells& other) {
  for (const Item& item : other.items_) push(item);
}

const std::vector<BestCells::Item>& BestCells::items() {
  std::sort(items_.begin(), items_.end(), [this](const Item& a, const Item& b) { return better(a, b); });
  return items_;
}

void merge_into(std::vector<BestCells>& best, std::vector<BestCells> more) {
  for (BestCells& one : more) {
    if (!best.empty() && best.back().query == one.query)
      best.back().merge(one);
    else
      best.push_back(std::move(one));
  }
}

ExcludedAlong::ExcludedAlong(const Cells& cells, std::vector<int> fixed, int open)
    : fixed_(std::move(fixed)) {
  cells_ = Cells(cells.order());
  if (cells.size() == 0) return;
  cells_.reserve(cells.size());
  position_.reserve(static_cast<std::size_t>(cells.size()));
  for (const Index cell : lexicographic_order(cells, fixed_)) {
    cells_.add(cells, cell);
    position_.push_back(cells[static_cast<std::size_t>(open)][cell]);
  }
}

void ExcludedAlong::columns(const Cells& rows, Count row, const OpenMode& open,
                            std::vector<Index>& out) const {
  out.clear();
  const auto [first, last] = equal_cells(cells_, rows, row, fixed_);
  for (Count cell = first; cell < last; ++cell)
    if (const Index column = open.column(position_[cell]); column != kUnseen) out.push_back(column);
}

void order_lists(const Predictor& predictor, bool lowest, TopLists& lists) {
  const std::vector<double> scores = predictor.scores(lists.cells);
  const std::optional<Range>& range = predictor.range();
  const auto before = [&](Index a, Index b) {
    if (scores[a] != scores[b]) return (scores[a] > scores[b]) != lowest;
    for (int k = 0; k < lists.cells.order(); ++k)
      if (lists.cells[k][a] != lists.cells[k][b]) return lists.cells[k][a] < lists.cells[k][b];
    return false;
  };
  std::vector<Index> order(scores.size());
  std::iota(order.begin(), order.end(), Index{0});
  for (std::size_t q = 0; q + 1 < lists.start.size(); ++q)
    std::sort(order.begin() + lists.start[q], order.begin() + lists.start[q + 1], before);
  Cells sorted(lists.cells.order());
  sorted.reserve(lists.cells.size());
  lists.value.clear();
  for (const Index cell : order) {
    sorted.add(lists.cells, cell);
    lists.value.push_back(range ? std::clamp(scores[cell], range->low, range->high) : scores[cell]);
  }
  lists.cells = std::move(sorted);
}

}  // namespace lacuna
