// SPDX-License-Identifier: MIT
// Latent parts along whole lines, the cells that differ in their position along one mode only.
//
//   W^(p)(cell) = u_cell . v_c,   v_c = lambda_p sum_{e in c} z_e u_e or a right factor's row, times lambda_p
//
// Along the mode that part p learns all cells of a line share the fiber c, so lines by blocks are a product of two
// matrices. Along a mode that tells the part's fibers apart the row u is shared, and of the fibers only those count
// that agree with the line in the other modes: they lie together once fibers are sorted. Along a mode that the part
// ignores there is one number for the whole line.
//
// Set-up is O(N r) and keeps v_c for all fibers; a line costs O(r) for each position, or for each of those fibers.
#pragma once

#include <vector>

#include "model/latent.hpp"

namespace lacuna {

class LatentLines {
 public:
  // Whether lines along the mode can be had so: no part has near modes or side information, and the fibers' vectors
  // fit in memory.
  [[nodiscard]] static bool possible(const LatentPredictor& latent);
  // The predictor must outlive this.
  LatentLines(const LatentPredictor& latent, int mode, Index positions);

  // out(i, j) += W at the cell first + i with its position along the mode replaced by j. Runs on one thread.
  void add_scores(const Cells& cells, Count first, Count last, Matrix<double>& out) const;
  // Whether a fiber passes through it, of at least one part: all others have silent cells.
  using Spoken = Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  [[nodiscard]] Spoken spoken(const Cells& cells, Count first, Count last) const;

 private:
  struct Part {
    enum class Kind { kLearned, kTellsApart, kIgnored };
    Kind kind = Kind::kIgnored;
    Matrix<double> rows;     // of the factor, as the part weighs them
    Matrix<double> vectors;  // v_c, by fiber number, or in the order below
    // For kTellsApart: fibers ordered by the other modes that tell them apart, then by this one.
    std::vector<int> others{};
    Cells fibers{};              // positions of each, in that order
    std::vector<Index> along{};  // of each, along the lines' mode
  };

  [[nodiscard]] Part make_part(std::size_t p) const;
  void add_learned(std::size_t p, const Cells& cells, Count first, Count last, Matrix<double>& out) const;
  void add_telling(std::size_t p, const Cells& cells, Count first, Count last, Matrix<double>& out) const;
  void add_ignored(std::size_t p, const Cells& cells, Count first, Count last, Matrix<double>& out) const;
  // The fibers of a part of kind kTellsApart that agree with a line in the other modes: from, to.
  [[nodiscard]] std::pair<Count, Count> fibers_of_line(const Part& part, const Cells& cells,
                                                       Count cell) const;
  // The number of the fiber through a cell, or -1.
  [[nodiscard]] Count fiber_of(std::size_t p, const Cells& cells, Count cell) const;
  // The row of a cell, or -1 when the part has none for it.
  [[nodiscard]] Count row_of(std::size_t p, const Cells& cells, Count cell) const;

  const LatentPredictor* latent_;
  int mode_;
  Index positions_;
  std::vector<Part> parts_;
};

}  // namespace lacuna
