// SPDX-License-Identifier: MIT
#include "model/update_effects.hpp"

#include <algorithm>

namespace lacuna {
namespace {

constexpr Index kNone = 0xffffffffU;

// The effect with the keys of new entries that it does not have, at 0.
Effect grown(const Effect& effect, const ObservedTensor& tensor, const UpdateEntries& entries) {
  Effect whole{.modes = effect.modes, .ridge = effect.ridge, .key = effect.key};
  for (const Index e : entries.fresh) whole.key.push_back(effect.key_of(tensor.cells(), e));
  std::sort(whole.key.begin(), whole.key.end());
  whole.key.erase(std::unique(whole.key.begin(), whole.key.end()), whole.key.end());
  for (const std::uint64_t key : whole.key) whole.value.push_back(effect.at(key));
  return whole;
}

double mean_square(const std::vector<double>& values) {
  double sum = 0.0;
  for (const double value : values) sum += value * value;
  return values.empty() ? 0.0 : sum / static_cast<double>(values.size());
}

}  // namespace

UpdateEffect::UpdateEffect(const Effect& before, const ObservedTensor& tensor, const UpdateEntries& entries,
                           double noise) {
  const double spread = mean_square(before.value);
  effect_ = grown(before, tensor, entries);
  if (!(spread > 0.0)) return;  // nothing is known of how large such effects are
  const double ridge = before.ridge > 0.0 ? before.ridge : noise / spread;
  make_table(tensor);
  std::vector<double> old(effect_.key.size(), 0.0);
  std::vector<Count> count(old.size(), 0);
  std::vector<std::vector<Index>> fresh(old.size());
  for (const int mode : effect_.modes) {
    fresh_at_.emplace_back(static_cast<std::size_t>(tensor.extent(mode)), 0);
    for (const Index e : entries.fresh) fresh_at_.back()[tensor.index(mode)[e]] = 1;
  }
  for (Count e = 0; e < tensor.size(); ++e) {
    if (entries.is_fresh[e] != 0 || !may_be_new(tensor.cells(), static_cast<Index>(e))) continue;
    const std::size_t place = place_of(tensor.cells(), static_cast<Index>(e));
    if (place == old.size()) continue;
    old[place] += entries.weight[e];
    ++count[place];
  }
  for (std::size_t i = 0; i < entries.fresh.size(); ++i)
    fresh[place_of(tensor.cells(), entries.fresh[i])].push_back(static_cast<Index>(i));
  for (std::size_t g = 0; g < fresh.size(); ++g) {
    if (fresh[g].empty()) continue;
    const bool known = before.knows(effect_.key[g]);
    if (known && static_cast<double>(fresh[g].size()) < kNewShare * static_cast<double>(count[g])) continue;
    moved_ += known ? 1 : 0;
    is_chosen_.resize(effect_.key.size(), 0);
    is_chosen_[g] = 1;
    if (!known) {
      chosen_at_.resize(effect_.key.size(), kNone);
      chosen_at_[g] = static_cast<Index>(chosen_.size());
    }
    chosen_.push_back({.place = g,
                       .fresh = std::move(fresh[g]),
                       .at = effect_.value[g],
                       .hold = old[g] + ridge,
                       .known = known});
  }
}

void UpdateEffect::forget_expected() {
  for (Chosen& chosen : chosen_)
    if (!chosen.known) chosen.at = 0.0;
}

void UpdateEffect::expect(const std::vector<int>& modes, const Cells& cells, Index entry, double value) {
  if (modes != effect_.modes || chosen_at_.empty()) return;
  const Index which = chosen_at_[place_of(cells, entry)];
  if (which != kNone) chosen_[which].at += value;
}

// Where the effects are few for the entries that ask, and so is the work of writing all their places down.
void UpdateEffect::make_table(const ObservedTensor& tensor) {
  constexpr double kPlacesForEachEntry = 4.0;
  double places = 1.0;
  for (const int mode : effect_.modes) places *= static_cast<double>(tensor.extent(mode));
  if (places > kPlacesForEachEntry * static_cast<double>(tensor.size())) return;
  second_ = effect_.modes.size() > 1 ? tensor.extent(effect_.modes[1]) : 1;
  table_.assign(static_cast<std::size_t>(places), static_cast<Index>(effect_.key.size()));
  for (std::size_t i = 0; i < effect_.key.size(); ++i) {
    const std::uint64_t key = effect_.key[i];
    const std::size_t place = effect_.modes.size() > 1 ? (key >> 32) * second_ + (key & 0xffffffffU) : key;
    if (place < table_.size()) table_[place] = static_cast<Index>(i);
  }
}

std::size_t UpdateEffect::place_of(const Cells& cells, Index entry) const {
  if (table_.empty()) return effect_.place(effect_.key_of(cells, entry));
  const std::size_t first = cells[effect_.modes[0]][entry];
  return table_[effect_.modes.size() > 1 ? first * second_ + cells[effect_.modes[1]][entry] : first];
}

// Looked at before the key is searched for: most entries have no position in common with a new one.
bool UpdateEffect::may_be_new(const Cells& cells, Index entry) const {
  for (std::size_t m = 0; m < fresh_at_.size(); ++m)
    if (fresh_at_[m][cells[effect_.modes[m]][entry]] == 0) return false;
  return true;
}

bool UpdateEffect::moves(const Cells& cells, Index entry) const {
  if (is_chosen_.empty() || !may_be_new(cells, entry)) return false;
  const std::size_t place = place_of(cells, entry);
  return place < is_chosen_.size() && is_chosen_[place] != 0;
}

double UpdateEffect::solve(UpdateEntries& entries) {
  double squares = 0.0;
  for (const Chosen& chosen : chosen_) {
    double& value = effect_.value[chosen.place];
    double weight = chosen.hold;
    double sum = chosen.hold * (chosen.at - value);
    for (const Index i : chosen.fresh) {
      if (entries.held[i] != 0) continue;
      const double w = entries.weight[entries.fresh[i]];
      weight += w;
      sum += w * entries.residual[i];
    }
    const double change = sum / weight;
    value += change;
    for (const Index i : chosen.fresh) entries.residual[i] -= change;
    squares += change * change * static_cast<double>(chosen.fresh.size());
  }
  return squares;
}

Offsets updated_offsets(const Offsets& before, const ObservedTensor& tensor, const std::vector<double>& value,
                        const UpdateEntries& joined, double noise) {
  if (before.effects.empty()) return before;
  UpdateEntries entries = joined;
  std::vector<UpdateEffect> effects;
  for (const Effect& effect : before.effects) effects.emplace_back(effect, tensor, entries, noise);
  std::fill(entries.held.begin(), entries.held.end(), 0);
  for (std::size_t i = 0; i < entries.fresh.size(); ++i) {
    const Index e = entries.fresh[i];
    entries.residual[i] = value[e] - before.mean;
    for (const Effect& effect : before.effects)
      entries.residual[i] -= effect.at(effect.key_of(tensor.cells(), e));
  }
  for (int sweep = 0; sweep < kUpdateSweeps; ++sweep)
    for (UpdateEffect& effect : effects) effect.solve(entries);
  Offsets updated{.mean = before.mean};
  for (const UpdateEffect& effect : effects) updated.effects.push_back(effect.effect());
  return updated;
}

}  // namespace lacuna
