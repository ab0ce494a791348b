// SPDX-License-Identifier: MIT
#include "model/cold_guess.hpp"

#include <algorithm>

namespace lacuna {

bool ColdGuess::seen(int mode, Index position) const {
  if (position >= model_->modes[mode].size) return false;
  if (model_->modes[mode].side) return true;  // known by what is said of it
  const Effect* effect = model_->offsets.main_effect(mode);
  if (effect == nullptr) effect = model_->fallback.main_effect(mode);
  return effect == nullptr || effect->knows(position);
}

int ColdGuess::unseen_mode(const Cells& cells, Count cell, std::span<const int> spanned) const {
  for (int k = 0; k < model_->order(); ++k) {
    const Index position = cells.mode(k)[cell];
    const bool is_spanned =
        position < model_->modes[k].size && std::find(spanned.begin(), spanned.end(), k) != spanned.end();
    if (!is_spanned && !seen(k, position)) return k;
  }
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
