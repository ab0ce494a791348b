// SPDX-License-Identifier: MIT
// A number for each cell that looks random, and is the same whoever has the cell and in whatever order:
// entries are dealt to processes and held out by it.
#pragma once

#include <cstdint>
#include <lacuna/tensor/tensor.hpp>

namespace lacuna {

// The finish of splitmix64 (Blackman & Vigna 2018).
[[nodiscard]] inline std::uint64_t mixed_bits(std::uint64_t word) {
  word = (word ^ word >> 30U) * 0xbf58476d1ce4e5b9U;
  word = (word ^ word >> 27U) * 0x94d049bb133111ebU;
  return word ^ word >> 31U;
}

[[nodiscard]] inline std::uint64_t cell_hash(const Cells& cells, Count entry, std::uint64_t seed) {
  std::uint64_t hash = seed;
  for (int k = 0; k < cells.order(); ++k)
    hash = mixed_bits(hash + 0x9e3779b97f4a7c15U + cells.mode(k)[entry]);
  return hash;
}

}  // namespace lacuna
