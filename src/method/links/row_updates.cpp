// SPDX-License-Identifier: MIT
#include "method/links/row_updates.hpp"

#include <numeric>

namespace lacuna {

void RowUpdates::clear() {
  for (const Index row : rows_) slot_of_[row] = kNone;
  rows_.clear();
  for (std::vector<Piece>& list : pieces_) list.clear();
}

void RowUpdates::grow() {
  gradient_.resize(rows_.size() * static_cast<std::size_t>(width_));
  pieces_.resize((rows_.size() + kSlots - 1) / kSlots);
}

void RowUpdates::begin_with_all(Index begin, Index end) {
  for (std::vector<Piece>& list : pieces_) list.clear();
  written_begin_ = begin;
  written_end_ = end;
  if (rows_.size() == slot_of_.size()) return;
  rows_.resize(slot_of_.size());
  std::iota(rows_.begin(), rows_.end(), Index{0});
  slot_of_ = rows_;
  grow();
}

void RowUpdates::begin_with(std::span<const Index> rows) {
  clear();
  for (const Index row : rows) (void)slot_of(row);
  written_begin_ = 0;
  written_end_ = static_cast<Index>(rows.size());
  grow();
}

Index RowUpdates::slot_of(Index row) {
  if (slot_of_[row] == kNone) {
    slot_of_[row] = static_cast<Index>(rows_.size());
    rows_.push_back(row);
    if (pieces_.size() * kSlots < rows_.size()) pieces_.emplace_back();
  }
  return slot_of_[row];
}

}  // namespace lacuna
