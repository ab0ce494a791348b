// SPDX-License-Identifier: MIT
#include "search/hold_out.hpp"

#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "base/rng.hpp"
#include "tensor/fiber_view.hpp"

namespace lacuna {

HoldOut hold_out(const ObservedTensor& tensor, const std::function<bool(Count)>& held_out) {
  Entries kept{.index = std::vector<std::vector<Index>>(static_cast<std::size_t>(tensor.order())),
               .value = {}};
  Entries held = kept;
  for (Count e = 0; e < tensor.size(); ++e) {
    Entries& list = held_out(e) ? held : kept;
    for (int k = 0; k < tensor.order(); ++k) list.index[k].push_back(tensor.index(k)[e]);
    list.value.push_back(tensor.values()[e]);
    if (!tensor.weights().empty()) list.weight.push_back(tensor.weight(e));
  }
  auto part = ObservedTensor::create(tensor.modes(), std::move(kept));
  if (!part) throw std::invalid_argument(part.error().what);
  return {.kept = std::move(*part), .held = std::move(held)};
}

bool fibers_are_complete(const ObservedTensor& tensor, int mode) {
  // Then every position has equally many entries: counting them is cheap and nearly always settles it.
  std::vector<Count> entries(tensor.extent(mode), 0);
  for (const Index i : tensor.index(mode)) ++entries[i];
  if (std::any_of(entries.begin(), entries.end(), [&](Count count) { return count != entries[0]; }))
    return false;
  const FiberView view(tensor, full_parts(tensor.order())[mode]);
  return view.fibers() * static_cast<Count>(tensor.extent(mode)) == tensor.size();
}

HoldOutUnits hold_out_units(const ObservedTensor& tensor) {
  std::vector<int> telling;  // the modes whose fibers are not all complete
  for (int k = 0; k < tensor.order(); ++k)
    if (tensor.extent(k) == 1 || !fibers_are_complete(tensor, k)) telling.push_back(k);
  HoldOutUnits units;
  units.of_entry.resize(static_cast<std::size_t>(tensor.size()));
  if (telling.empty() || static_cast<int>(telling.size()) == tensor.order()) {
    std::iota(units.of_entry.begin(), units.of_entry.end(), Index{0});
    units.count = static_cast<Index>(tensor.size());
    return units;
  }
  const std::vector<Index> order = lexicographic_order(tensor.indices(), telling, tensor.size());
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto differs = [&](int k) { return tensor.index(k)[order[i]] != tensor.index(k)[order[i - 1]]; };
    if (i > 0 && std::any_of(telling.begin(), telling.end(), differs)) ++units.count;
    units.of_entry[order[i]] = units.count;
  }
  ++units.count;
  return units;
}

std::optional<HoldOut> hold_out(const ObservedTensor& tensor, double share, std::uint64_t seed) {
  const HoldOutUnits units = hold_out_units(tensor);
  Rng rng(seed);
  std::vector<bool> held_out(units.count);
  for (Index unit = 0; unit < units.count; ++unit) held_out[unit] = rng.uniform() < share;
  HoldOut split = hold_out(tensor, [&](Count e) { return held_out[units.of_entry[e]]; });
  if (split.kept.size() == 0 || split.held.size() == 0) return std::nullopt;
  return split;
}

}  // namespace lacuna
