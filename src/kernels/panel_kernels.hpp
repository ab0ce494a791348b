// SPDX-License-Identifier: MIT
// Products of a few rows with a table that stands still, compiled once per instruction set and chosen at run
// time: what scoring many queries against all positions of a mode comes to.
//
//   multiply   out(i, j) <- sum_k a(i, k) b(j, k)
//
// The table b lies in panels of kPanel of its rows, k by k. Sums run over k in order, and every number is
// made by the same instructions wherever it stands, so how rows are dealt to calls changes no bit.
#pragma once

#include <lacuna/tensor/tensor.hpp>

namespace lacuna::kernels {

inline constexpr int kPanel = 12;      // rows of b handled at a time
inline constexpr int kPanelQuery = 4;  // rows of a

// `queries` and `out` hold `rows` rows, a multiple of kPanelQuery, of `depth` and of panel_count * kPanel
// numbers.
using PanelMultiply = void (*)(const double* queries, Count rows, int depth, const double* panels,
                               Count panel_count, double* out);

[[nodiscard]] PanelMultiply panel_multiply();

PanelMultiply baseline_panel_multiply();
PanelMultiply avx2_panel_multiply();

}  // namespace lacuna::kernels
