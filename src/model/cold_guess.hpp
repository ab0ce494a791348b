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

  // Whether no entry was observed at position i of mode k, and nothing is known of it.
  [[nodiscard]] bool unseen(int k, Index i) const;
  // The first mode along which no entry was observed at the cell's position; -1: there is none.
  [[nodiscard]] int unseen_mode(const Cells& cells, Count cell) const;

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
