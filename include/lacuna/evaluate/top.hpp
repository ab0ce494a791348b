// SPDX-License-Identifier: MIT
// Top lists: of all cells that a question leaves open, the best ones.
#pragma once

#include <lacuna/base/base.hpp>
#include <lacuna/model/model.hpp>
#include <memory>
#include <vector>

namespace lacuna {

// What all questions have in common. A mode is fixed (the question says the position), open (the answer does), or
// neither: then cells are scored as at a position that was never seen, which leaves everything out that the model
// knows of that mode's positions.
struct TopOptions {
  std::vector<int> open{};    // at least one mode
  std::vector<int> either{};  // the modes that are neither open nor fixed
  int count = 10;             // cells to a list, >= 1
  bool lowest = false;        // the lowest values instead of the highest
  // For each open mode, in the order of `open`, the positions to choose among; empty: all of the mode's.
  std::vector<std::vector<Index>> candidates{};
  // Cells that are not listed. One that differs along `either` modes only counts as the same.
  Cells excluded{};
};

// The answers, one list after the other: list q is [start[q], start[q + 1]), best first. Cells of equal value
// stand in the order of their positions, first mode first. The position along an `either` mode is kUnseen.
struct TopLists {
  std::vector<Count> start{0};
  Cells cells;
  std::vector<double> value{};  // as Predictor::predict says it
};

// About how much memory it takes to find them: tables of the open modes' positions, and the scores of one question.
[[nodiscard]] double top_bytes(const Model& model, const TopOptions& options);

// Finds them. Set-up sorts the excluded cells and makes tables of the open mode's positions; after that a question
// costs as many multiplications as the model has ranks for each cell it leaves open.
class TopFinder {
 public:
  // The predictor must outlive this. Throws std::invalid_argument on modes or positions that do not exist, modes
  // named twice, a count below 1.
  TopFinder(const Predictor& predictor, TopOptions options);
  TopFinder(TopFinder&&) noexcept;
  TopFinder& operator=(TopFinder&&) noexcept;
  ~TopFinder();

  // One list for each query; positions along modes that are not fixed are not looked at, a fixed one may be
  // kUnseen. Lists are shorter where fewer cells are left. Stops early, with fewer lists, when interrupted.
  [[nodiscard]] TopLists find(const Cells& queries, const Interrupted& interrupted = {}) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

// The cells a model was fitted on, where it keeps them; else none.
[[nodiscard]] Cells observed_cells(const Model& model);

}  // namespace lacuna
