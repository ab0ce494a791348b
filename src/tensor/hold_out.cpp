// SPDX-License-Identifier: MIT
#include "tensor/hold_out.hpp"

#include <utility>

namespace lacuna {

HoldOut hold_out(const ObservedTensor& tensor, const std::function<bool(Count)>& held_out) {
  Entries kept{.cells = Cells(tensor.order()), .value = {}};
  Entries held = kept;
  for (Count e = 0; e < tensor.size(); ++e) {
    Entries& list = held_out(e) ? held : kept;
    list.cells.add(tensor.cells(), e);
    list.value.push_back(tensor.values()[e]);
    if (!tensor.weights().empty()) list.weight.push_back(tensor.weight(e));
  }
  return {.kept = ObservedTensor::of_sorted(tensor.modes(), std::move(kept)), .held = std::move(held)};
}

}  // namespace lacuna
