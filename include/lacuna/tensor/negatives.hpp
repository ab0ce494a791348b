// SPDX-License-Identifier: MIT
// Data that lists facts only, every value 1, teaches nothing about what is not a fact. Negatives are cells of
// value 0 made from facts by replacing one index.
#pragma once

#include <lacuna/tensor/observed_tensor.hpp>
#include <span>

namespace lacuna {

// The tensor with, for each of its entries, `for_each` more of value 0: the entry with its index along one of
// `modes`, drawn in turn, replaced by a random one, such that the cell is not in the tensor. Where no such
// cell is found in a few draws there are fewer. Cells drawn twice are kept once. Throws std::invalid_argument
// without modes.
[[nodiscard]] ObservedTensor with_negatives(const ObservedTensor& tensor, std::span<const int> modes,
                                            int for_each, std::uint64_t seed);

// How many cells of value 0 are drawn for each fact unless told: 30, fewer where that would be millions.
[[nodiscard]] int usual_negatives(Count facts);

}  // namespace lacuna
