// SPDX-License-Identifier: MIT
#include "search/facts.hpp"

#include <algorithm>
#include <lacuna/tensor/tensor.hpp>

#include "base/rng.hpp"
#include "tensor/find_cell.hpp"

namespace lacuna {
namespace {

std::vector<int> corrupted_modes(const ObservedTensor& tensor, const Settings& settings) {
  return settings.links.corrupted.empty() ? ranked_modes(tensor.modes()) : settings.links.corrupted;
}

// The held-out facts and about as many cells of value 0, which no method has seen.
Entries with_unseen_negatives(const ObservedTensor& tensor, const ObservedTensor& kept, const Entries& held,
                              const std::vector<int>& modes, std::uint64_t seed) {
  const double share = static_cast<double>(held.size()) / static_cast<double>(tensor.size());
  const ObservedTensor drawn = with_negatives(tensor, modes, 2, seed);
  Entries both = held;
  Rng rng(seed + 1);
  std::vector<Index> cell(static_cast<std::size_t>(tensor.order()));
  for (Count e = 0; e < drawn.size(); ++e) {
    if (drawn.values()[e] != 0.0 || rng.uniform() >= share) continue;
    for (int k = 0; k < tensor.order(); ++k) cell[k] = drawn.index(k)[e];
    if (contains(kept, cell)) continue;
    both.cells.add(cell);
    both.value.push_back(0.0);
    if (!both.weight.empty()) both.weight.push_back(1.0);
  }
  return both;
}

}  // namespace

bool are_facts(const ObservedTensor& tensor, const Settings& settings) {
  return settings.links.negatives.value_or(0) > 0 && settings.search.calibrate == 0.0 &&
         settings.loss.value_or(Loss::kSquared) != Loss::kHuber &&
         std::all_of(tensor.values().begin(), tensor.values().end(), [](double v) { return v == 1.0; });
}

bool learns_from_facts(Method method) { return method == Method::kComplEx; }

ObservedTensor with_drawn(const ObservedTensor& tensor, const Settings& settings) {
  const int for_each = settings.links.negatives.value_or(0);
  if (for_each == 0) return tensor;
  return with_negatives(tensor, corrupted_modes(tensor, settings), for_each, settings.seed);
}

std::optional<FactSplit> split_facts(const ObservedTensor& tensor, const Settings& settings, double share,
                                     std::uint64_t seed) {
  Rng rng(seed);
  const double most = static_cast<double>(kMostRanked) / static_cast<double>(tensor.size());
  const double chance = std::min(share, most);
  HoldOut split = hold_out(tensor, [&](Count) { return rng.uniform() < chance; });
  if (split.kept.size() == 0 || split.held.size() == 0) return std::nullopt;
  HeldFacts ranking(tensor.modes(), split.held.cells, split.kept.cells());
  ObservedTensor kept = with_drawn(split.kept, settings);
  Entries held = with_unseen_negatives(tensor, kept, split.held, corrupted_modes(tensor, settings), seed);
  return FactSplit{.facts = std::move(split.kept),
                   .held = std::move(split.held),
                   .ranking = std::move(ranking),
                   .cells = {.kept = std::move(kept), .held = std::move(held)}};
}

}  // namespace lacuna
