// SPDX-License-Identifier: MIT
#include "model/cold_guess.hpp"

namespace lacuna {

bool ColdGuess::unseen(int k, Index i) const {
  if (i >= model_->modes[k].size) return true;
  if (model_->modes[k].side) return false;  // known by what is said of it
  const Effect* effect = model_->offsets.main_effect(k);
  if (effect == nullptr) effect = model_->fallback.main_effect(k);
  return effect != nullptr && !effect->knows(i);
}

int ColdGuess::unseen_mode(const Cells& cells, Count cell) const {
  for (int k = 0; k < model_->order(); ++k)
    if (unseen(k, cells.mode(k)[cell])) return k;
  return -1;
}

bool ColdGuess::replaces(const Cells& cells, Count cell, bool body_is_silent) const {
  if (model_->fallback.empty()) return false;
  return body_is_silent || (model_->offsets.empty() && unseen_mode(cells, cell) >= 0);
}

std::vector<double> ColdGuess::at(const Cells& cells, std::span<const Count> which) const {
  Cells picked(cells.order());
  for (const Count cell : which) picked.add(cells, cell);
  return model_->fallback.at(picked);
}

}  // namespace lacuna
