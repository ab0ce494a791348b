// SPDX-License-Identifier: MIT
// The best of many scores, and the cells that are not to be among them.
#pragma once

#include <lacuna/evaluate/top.hpp>
#include <span>
#include <vector>

#include "model/block_scorer.hpp"

namespace lacuna {

// The best cells of one query, taken up row by row.
class BestCells {
 public:
  struct Item {
    double score = 0.0;
    Count row = 0;  // which combination of the outer open modes
    Index column = 0;
  };
  // `within`: how many combinations there are of the open modes behind the one whose positions are columns. Rows
  // run through the combinations with the last mode fastest.
  BestCells(Count of_query, int count, bool lowest, Count within)
      : query(of_query),
        count_(static_cast<std::size_t>(count)),
        sign_(lowest ? -1.0 : 1.0),
        within_(within) {}

  // Of equal scores the cells win that come first in the order of the modes.
  void take(std::span<const double> scores, Count row, const std::vector<bool>& left_out);
  void merge(const BestCells& other);              // of the same query
  [[nodiscard]] const std::vector<Item>& items();  // best first

  Count query;

 private:
  void push(const Item& item);
  [[nodiscard]] bool better(const Item& a, const Item& b) const;

  std::size_t count_;
  double sign_;
  Count within_;
  std::vector<Item> items_;  // a heap with the worst on top; scores times sign_
};

// Appends lists of later rows: the first may go on where the last one here ended.
void merge_into(std::vector<BestCells>& best, std::vector<BestCells> more);

// The cells to be left out, by what tells queries apart.
class ExcludedAlong {
 public:
  ExcludedAlong() = default;
  // Those that agree with a query along the `fixed` modes are left out of its positions along `open`.
  ExcludedAlong(const Cells& cells, std::vector<int> fixed, int open);

  // The columns that row `row` of the list must leave out.
  void columns(const Cells& rows, Count row, const OpenMode& open, std::vector<Index>& out) const;

 private:
  std::vector<int> fixed_;
  Cells cells_;                  // sorted by the fixed modes
  std::vector<Index> position_;  // of each along the open mode
};

// Fills in the values, and puts the cells of each list in their final order.
void order_lists(const Predictor& predictor, bool lowest, TopLists& lists);

}  // namespace lacuna
