// SPDX-License-Identifier: MIT
// What is said of cells that a model's body says nothing about: the mean and the effects of those of their
// positions that have been observed.
#pragma once

#include <lacuna/model/model.hpp>
#include <span>
#include <vector>

namespace lacuna {

class ColdGuess {
 public:
  // The model must outlive it; its body is not looked at.
  explicit ColdGuess(const Model& model) : model_(&model) {}

  // Whether an entry was observed at this position of a mode, or side information says something of it.
  [[nodiscard]] bool seen(int mode, Index position) const;
  // The first mode along which no entry was observed at the cell's position; -1: there is none.
  // Modes that are spanned do not count: a body says something of all their positions.
  [[nodiscard]] int unseen_mode(const Cells& cells, Count cell, std::span<const int> spanned = {}) const;

  // Whether the guess stands for all that the model says of the cell: where the body is silent, and, in a model
  // without offsets of its own, wherever a position is unseen. The parts of such a model carry the level of the
  // values between them, and some of them are silent there.
  [[nodiscard]] bool replaces(const Cells& cells, Count cell, bool body_is_silent) const;

  // The guess for these of the cells, one after the other.
  [[nodiscard]] std::vector<double> at(const Cells& cells, std::span<const Count> which) const;

 private:
  const Model* model_;
};

}  // namespace lacuna
