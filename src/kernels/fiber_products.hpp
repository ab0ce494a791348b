// SPDX-License-Identifier: MIT
// Products of a part's unfolding with a factor of its own on each side: left ones have a row for each
// position of mode k, right ones for each observed fiber (listed fibers first, then single ones). The
// unfolding's other columns are zero and never made.
//
//   times_transposed   V = Z_k' U           O(N r)
//   add_products       y_e += (U V')_e      O(N r)
//
// The same bits at any thread count. A part's row and fiber weights play no role here.
#pragma once

#include <span>

#include "kernels/part_kernels.hpp"

namespace lacuna {

[[nodiscard]] Matrix<double> times_transposed(const PartKernels& part, std::span<const double> z,
                                              const Matrix<double>& left);
void add_products(const PartKernels& part, const Matrix<double>& left, const Matrix<double>& right,
                  std::span<double> y);

}  // namespace lacuna
