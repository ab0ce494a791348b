// SPDX-License-Identifier: MIT
// Tucker tensors at lists of cells: values, derivatives of values, and gradients of functions of them.
//
// The core is contracted with one row after the other, first mode first; a cell that begins like the one
// before it, as neighbours in canonical order do, takes up its work where they part. A list in canonical
// order costs r_K for each cell, r_{K-1} r_K for each of its fibers along the last mode, and so on up to
// r_1 ... r_K for each of its slices of the first.
#pragma once

#include <functional>
#include <lacuna/tensor/tensor.hpp>
#include <span>
#include <vector>

#include "linalg/tucker.hpp"

namespace lacuna {

// An order of the modes in which the cells, once sorted by it, share much of the work: the last mode is that
// of the fewest fibers, and so on among the modes before it. O(N) for each of K (K + 1) / 2 - 1 sorts.
[[nodiscard]] std::vector<int> thin_order(const Cells& cells);
// The same, given how many of the cells differ in a list of modes.
[[nodiscard]] std::vector<int> thin_order(int order,
                                          const std::function<Count(const std::vector<int>&)>& distinct);
[[nodiscard]] Count distinct_cells(const Cells& cells, std::span<const int> modes);

// out[i] += X(cell i). A cell with a position beyond a mode's size gets nothing.
void add_values(const Tucker& x, const Cells& cells, std::span<double> out);

// Cells in any order, and the way to visit them in canonical order: for lists that are asked about often, or
// are long.
struct SortedCells {
  explicit SortedCells(const Cells& cells);

  Cells cells;               // in canonical order
  std::vector<Index> order;  // order[j]: where cell j of that order is in the list
};
// out[i] += X(cell i), i counted as in the list.
void add_values(const Tucker& x, const SortedCells& cells, std::span<double> out);

// out[i] += the derivative of X(cell i) along u, that is along x + t u.
void add_derivatives(const Tucker& x, const Tucker& u, const Cells& cells, std::span<double> out);

// gradient += the gradient of sum_i e_i X(cell i) with respect to core and factors: for the core
// E x_1 U_1' ... x_K U_K', for factor k  E_(k) (U_K x ... x U_1, without k) G_(k)', E the sparse tensor of
// the e. One pass for all modes. Beyond the list it needs at most as much memory as the list takes.
void add_gradient(const Tucker& x, const Cells& cells, std::span<const double> e, Tucker& gradient);

}  // namespace lacuna
