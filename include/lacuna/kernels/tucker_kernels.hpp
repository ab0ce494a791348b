// SPDX-License-Identifier: MIT
// Tucker tensors at lists of cells.
//
// The core is contracted with one row after the other, first mode first; a cell that begins like the one
// before it, as neighbours in canonical order do, takes up its work where they part. A list in canonical
// order costs r_K for each cell, r_{K-1} r_K for each of its fibers along the last mode, and so on up to
// r_1 ... r_K for each of its slices of the first.
#pragma once

#include <lacuna/linalg/tucker.hpp>
#include <lacuna/tensor/entries.hpp>
#include <span>
#include <vector>

namespace lacuna {

// out[i] += X(cell i), index[k][i] its position along mode k. A cell with a position beyond a mode's size
// gets nothing.
void add_values(const Tucker& x, const std::vector<std::vector<Index>>& index, std::span<double> out);

}  // namespace lacuna
