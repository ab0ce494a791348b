// SPDX-License-Identifier: MIT
#include <algorithm>
#include <lacuna/tensor/tensor.hpp>
#include <stdexcept>

#include "base/rng.hpp"
#include "tensor/find_cell.hpp"

namespace lacuna {
namespace {

constexpr int kDraws = 20;               // before a crowded fiber is given up
constexpr Count kMostDrawn = 2'000'000;  // cells in all, by default
constexpr int kMostForEach = 30;         // kinship: with one for each fact MRR 0.62, with 30 0.81

}  // namespace

int usual_negatives(Count facts) {
  const Count affordable = kMostDrawn / std::max<Count>(1, facts);
  return static_cast<int>(std::clamp<Count>(affordable, 1, kMostForEach));
}

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
