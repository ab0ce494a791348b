// SPDX-License-Identifier: MIT
#include "method/hold_out.hpp"

#include <lacuna/base/rng.hpp>

namespace lacuna {

std::optional<HoldOut> hold_out(const ObservedTensor& tensor, double share, std::uint64_t seed) {
  Entries kept{.index = std::vector<std::vector<Index>>(static_cast<std::size_t>(tensor.order())),
               .value = {}};
  Entries held = kept;
  Rng rng(seed);
  for (Count e = 0; e < tensor.size(); ++e) {
    Entries& list = rng.uniform() < share ? held : kept;
    for (int k = 0; k < tensor.order(); ++k) list.index[k].push_back(tensor.index(k)[e]);
    list.value.push_back(tensor.values()[e]);
    if (!tensor.weights().empty()) list.weight.push_back(tensor.weight(e));
  }
  if (kept.size() == 0 || held.size() == 0) return std::nullopt;
  auto part = ObservedTensor::create(tensor.modes(), std::move(kept));
  if (!part) return std::nullopt;
  return HoldOut{.kept = std::move(*part), .held = std::move(held)};
}

}  // namespace lacuna
