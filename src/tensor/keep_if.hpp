// SPDX-License-Identifier: MIT
// Leaving entries out of a list, in place.
#pragma once

#include <lacuna/tensor/tensor.hpp>

namespace lacuna {

// Keeps the first `count` entries.
inline void truncate(Entries& entries, Count count) {
  entries.cells.keep_first(count);
  entries.value.resize(static_cast<std::size_t>(count));
  if (!entries.weight.empty()) entries.weight.resize(static_cast<std::size_t>(count));
  for (auto& along : entries.coordinates)
    if (!along.empty()) along.resize(static_cast<std::size_t>(count));
}

// Keeps the entries e for which keep(e) holds, in their order; returns how many went. keep is asked once
// about each position, ascending, and finds that entry where it was.
template <class Keep>
Count keep_if(Entries& entries, Keep&& keep) {
  const Count size = entries.size();
  Count kept = 0;
  for (Count e = 0; e < size; ++e) {
    if (!keep(e)) continue;
    if (kept != e) {
      for (int k = 0; k < entries.order(); ++k) entries.cells.mode(k)[kept] = entries.cells.mode(k)[e];
      entries.value[kept] = entries.value[e];
      if (!entries.weight.empty()) entries.weight[kept] = entries.weight[e];
      for (auto& along : entries.coordinates)
        if (!along.empty()) along[kept] = along[e];
    }
    ++kept;
  }
  truncate(entries, kept);
  return size - kept;
}

}  // namespace lacuna
