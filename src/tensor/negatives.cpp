// SPDX-License-Identifier: MIT
#include <algorithm>
#include <lacuna/tensor/negatives.hpp>
#include <numeric>
#include <stdexcept>

#include "base/rng.hpp"

namespace lacuna {
namespace {

constexpr int kDraws = 20;  // before a crowded fiber is given up

bool contains(const ObservedTensor& tensor, const std::vector<Index>& cell) {
  const auto before = [&](Count e) {
    for (int k = 0; k < tensor.order(); ++k)
      if (tensor.index(k)[e] != cell[k]) return tensor.index(k)[e] < cell[k];
    return false;
  };
  Count low = 0;
  Count high = tensor.size();
  while (low < high) {
    const Count middle = std::midpoint(low, high);
    if (before(middle))
      low = middle + 1;
    else
      high = middle;
  }
  if (low == tensor.size()) return false;
  for (int k = 0; k < tensor.order(); ++k)
    if (tensor.index(k)[low] != cell[k]) return false;
  return true;
}

}  // namespace

ObservedTensor with_negatives(const ObservedTensor& tensor, std::span<const int> modes, int for_each,
                              std::uint64_t seed) {
  if (modes.empty()) throw std::invalid_argument("negatives need a mode whose index is replaced");
  Entries entries{.cells = tensor.cells(), .value = {tensor.values().begin(), tensor.values().end()}};
  entries.weight.assign(tensor.weights().begin(), tensor.weights().end());
  Rng rng(seed);
  std::size_t turn = 0;
  std::vector<Index> cell(static_cast<std::size_t>(tensor.order()));
  for (Count e = 0; e < tensor.size(); ++e)
    for (int i = 0; i < for_each; ++i) {
      const int mode = modes[turn++ % modes.size()];
      for (int k = 0; k < tensor.order(); ++k) cell[k] = tensor.index(k)[e];
      bool found = false;
      for (int draw = 0; draw < kDraws && !found; ++draw) {
        cell[mode] = static_cast<Index>(rng.uniform() * tensor.extent(mode));
        found = !contains(tensor, cell);
      }
      if (!found) continue;
      entries.cells.add(cell);
      entries.value.push_back(0.0);
      if (!entries.weight.empty()) entries.weight.push_back(tensor.weight(e));
    }
  auto both = ObservedTensor::create(tensor.modes(), std::move(entries), Duplicates::kLast);
  if (!both) throw std::invalid_argument(both.error().what);
  return std::move(*both);
}

}  // namespace lacuna
