// SPDX-License-Identifier: MIT
#include "method/hold_out.hpp"

#include <lacuna/base/rng.hpp>
#include <stdexcept>

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

std::optional<HoldOut> hold_out(const ObservedTensor& tensor, double share, std::uint64_t seed) {
  Rng rng(seed);
  HoldOut split = hold_out(tensor, [&](Count) { return rng.uniform() < share; });
  if (split.kept.size() == 0 || split.held.size() == 0) return std::nullopt;
  return split;
}

}  // namespace lacuna
