// SPDX-License-Identifier: MIT
#include "kernels/whole_order.hpp"

#include <numeric>
#include <stdexcept>

namespace lacuna {

WholeOrder::WholeOrder(const ObservedTensor& mine, const Communicator& everyone)
    : everyone_(&everyone), entries_(everyone.sum(mine.size())) {
  const Count here = mine.size();
  const std::vector<Count> counts = everyone.gather(std::span<const Count>(&here, 1));
  std::vector<std::vector<Index>> cells;
  for (int k = 0; k < mine.order(); ++k) cells.push_back(everyone.gather_at_first(mine.index(k)));
  std::vector<Count> places;  // of the entries as they were gathered
  if (everyone.first() && entries_ > 0) {
    Entries numbered{.cells = Cells(std::move(cells)), .value = {}};
    numbered.value.resize(static_cast<std::size_t>(entries_));
    std::iota(numbered.value.begin(), numbered.value.end(), 0.0);
    const auto sorted = ObservedTensor::create(mine.modes(), std::move(numbered));
    if (!sorted)
      throw std::runtime_error("the processes' entries do not make a tensor: " + sorted.error().what);
    places.resize(static_cast<std::size_t>(entries_));
    for (Count e = 0; e < entries_; ++e) places[static_cast<std::size_t>(sorted->values()[e])] = e;
  }
  const std::vector<Count> nothing(counts.size(), 0);
  place_ = everyone.all_to_all(std::span<const Count>(places), everyone.first() ? counts : nothing);
}

}  // namespace lacuna
