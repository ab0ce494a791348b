// SPDX-License-Identifier: MIT
// A model's scores for many queries at once, each against all positions of one mode: what rankings of facts
// and top lists are made of.
//
//   score(q, j) = prediction(query q with the j-th position along the open mode), not clipped; of links its logit
//               = vector(q) . table(j) + what no table says
//
// Parts whose fibers or rows the open mode tells apart, Tucker and CP tensors and effects all come to one
// product with a table of the positions, as wide as their ranks together (PanelTable). What is left are sparse
// rows: fibers of a part to which other modes must agree as well, effects of pairs of modes, dense tensors.
#pragma once

#include <functional>
#include <lacuna/model/model.hpp>
#include <memory>
#include <span>
#include <vector>

#include "kernels/panel_table.hpp"

namespace lacuna {

struct ComplEx;

// What links are scored by: their logit, as they are predicted, or the direction that is asked for (complex.hpp), as
// they are ranked.
enum class LinksBy { kLogit, kDirection };

// Where the scored positions stand among the columns.
struct OpenMode {
  int mode = 0;
  std::vector<Index> positions{};  // of each column
  std::vector<Index> column_of{};  // of each position, or kUnseen

  [[nodiscard]] Index column(Index position) const {
    return position < column_of.size() ? column_of[position] : kUnseen;
  }
};

// One summand of the score. Either of its two halves may be missing.
struct ScoreTerm {
  Matrix<double> table{};  // a row for each column of the scores
  // Fills in as many numbers as the table has columns.
  std::function<void(const Cells& queries, Count query, double* vector)> vector{};
  std::function<void(const Cells& queries, Count query, std::span<double> scores)> add{};
  // Marks the columns that a latent part says something of (CellPlan::silent has the others).
  std::function<void(const Cells& queries, Count query, std::span<char> heard)> hear{};
};

class BlockScorer {
 public:
  // Positions may lie beyond the mode's size, as may those of queries: cells that the model has never seen.
  // The predictor must outlive this. Throws std::invalid_argument when there is no such mode.
  BlockScorer(const Predictor& predictor, int open, std::vector<Index> positions,
              LinksBy by = LinksBy::kLogit);
  // All positions below `extent`.
  BlockScorer(const Predictor& predictor, int open, Index extent, LinksBy by = LinksBy::kLogit);
  BlockScorer(const BlockScorer&) = delete;  // its terms know where its open mode is
  BlockScorer& operator=(const BlockScorer&) = delete;
  ~BlockScorer() = default;

  [[nodiscard]] const OpenMode& open() const { return open_; }
  [[nodiscard]] Count width() const { return static_cast<Count>(open_.positions.size()); }
  // The scores of one query lie together, those of the next one begin stride() later; so many queries need
  // room() numbers.
  [[nodiscard]] Count stride() const { return table_.padded_rows(); }
  [[nodiscard]] Count room(Count queries) const { return PanelTable::padded_queries(queries) * stride(); }

  // The scores of queries [first, last); their positions along the open mode are not looked at. Runs on one
  // thread, and any number of threads may call it. Which queries are scored together changes no bit.
  void score(const Cells& queries, Count first, Count last, std::span<double> out) const;

 private:
  void add_members(const Cells& queries, Count first, Count last, std::span<double> out) const;
  void guess_cold(const Cells& queries, Count query, std::span<double> scores) const;

  const Model* model_;
  OpenMode open_;
  std::vector<ScoreTerm> terms_;
  PanelTable table_;        // those of all terms side by side
  std::vector<char> seen_;  // of each column, where the model makes a guess at what its body is silent about
  std::vector<std::unique_ptr<BlockScorer>> members_;  // of a blend, which has no terms of its own
};

// The terms of a model's offsets and of each kind of body.
[[nodiscard]] std::vector<ScoreTerm> offset_terms(const Offsets& offsets, const OpenMode& open);
[[nodiscard]] std::vector<ScoreTerm> body_terms(const Model& model, const OpenMode& open, LinksBy by);
[[nodiscard]] ScoreTerm link_term(const ComplEx& x, const OpenMode& open, LinksBy by);
[[nodiscard]] std::vector<ScoreTerm> latent_terms(const LatentPredictor& latent, const OpenMode& open);

}  // namespace lacuna
