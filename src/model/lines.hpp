// SPDX-License-Identifier: MIT
// Scores of whole lines, the cells that differ in their position along one mode only, for rankings: what the cells
// of a line share is worked out once, and lines by blocks become products of matrices.
#pragma once

#include <lacuna/model/model.hpp>
#include <memory>

#include "linalg/matrix.hpp"

namespace lacuna {

class LatentLines;

class LineScores {
 public:
  // Lines along this mode, of so many positions; those beyond the model's own are scored as it predicts them. The
  // predictor must outlive this.
  LineScores(const Predictor& predictor, int mode, Index positions);
  LineScores(LineScores&&) noexcept;
  LineScores& operator=(LineScores&&) noexcept;
  ~LineScores();

  // out(i, j): the score of cell first + i with its position along the mode replaced by j, which orders the cells
  // of a line as predictions do. Runs on one thread, and may on several at a time. Throws ValueRangeError where a
  // score is not finite.
  void score(const Cells& cells, Count first, Count last, Matrix<double>& out) const;

 private:
  void add_offsets(const Offsets& offsets, const Cells& cells, Count first, Count last,
                   Matrix<double>& out) const;
  // The guess of the model where its body is silent (model/cold_guess.hpp).
  void guess_silent(const Cells& cells, Count first, Count last, Matrix<double>& out) const;
  void add_body(const Cells& cells, Count first, Count last, Matrix<double>& out) const;
  void score_by_cells(const Cells& cells, Count first, Count last, Matrix<double>& out) const;

  const Predictor* predictor_;
  const Model* model_;
  int mode_;
  Index positions_;
  std::unique_ptr<LatentLines> latent_;  // of a latent body
  std::vector<bool> unseen_;             // positions along the mode, where the model has a guess for them
  bool by_cells_ = false;                // each cell is predicted by itself
};

}  // namespace lacuna
