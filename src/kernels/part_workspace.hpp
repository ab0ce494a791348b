// SPDX-License-Identifier: MIT
// Memory that the products of parts need beside their arguments. It grows to what the largest of them needs
// and is reused from call to call, so that Hessian products allocate nothing. One product at a time may use
// it.
#pragma once

#include <vector>

#include "kernels/factor_table.hpp"

namespace lacuna {

// Of the transforms of a grid, for each thread: a few lines, or a product with a dense basis.
template <class Real>
struct GridWorkspace {
  std::vector<std::vector<Real>> lines{};
  std::vector<Matrix<Real>> products{};

  void make_room(int threads) {
    const auto wanted = static_cast<std::size_t>(threads);
    if (lines.size() < wanted) lines.resize(wanted);
    if (products.size() < wanted) products.resize(wanted);
  }
};

template <class Real>
struct PartWorkspace {
  std::vector<Real> row_numbers{};               // one for each row of a factor
  std::vector<std::vector<double>> row_sums{};   // likewise, of each group of entries
  std::vector<FactorTable<Real>> row_buffers{};  // of each thread, laid out like a factor
  Matrix<Real> of_rows{};                        // a derivative before side information is applied to it
  // Of parts with near modes.
  std::vector<Real> field{};
  std::vector<Matrix<double>> field_sums{};  // of each group of fibers, like a factor
  GridWorkspace<Real> grid{};
};

}  // namespace lacuna
