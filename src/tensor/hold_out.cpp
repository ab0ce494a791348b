// SPDX-License-Identifier: MIT
#include "tensor/hold_out.hpp"

#include <algorithm>
#include <stdexcept>

#include "tensor/fiber_view.hpp"

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

}  // namespace lacuna
