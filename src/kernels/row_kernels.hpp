// SPDX-License-Identifier: MIT
// The innermost loops of alternating least squares, compiled once per instruction set and chosen at run time.
//
// One row i of a factor F is solved for while the other factor T stands still. Its entries e select rows t_e
// of T; r_e is what the model leaves of the entry's value, w_e the entry's weight:
//   gather    G += sum_e w_e t_e t_e' (upper triangle),  b += sum_e w_e r_e t_e,  s += sum_e w_e v_e,
//             v_e the variances of the numbers of t_e
//   solve     x <- G^-1 x by Cholesky; G is overwritten
//   advance   r_e -= d . t_e, after row i has moved by d
//   products  p_j <- f . t_e of the j-th entry, in double
//   add_rows  x += sum_e w_e t_e
// Rows are kRowStep numbers wide or a multiple of it. Products of batches of entries are summed in float, the
// batches in double, in the order of the entries. gather and advance cost O(entries x width^2) and O(entries
// x width), solve O(width^3).
#pragma once

#include <lacuna/tensor/tensor.hpp>

namespace lacuna::kernels {

inline constexpr int kRowStep = 8;

// The entries of one row, and where in T each of them points.
struct RowEntries {
  const Index* entry = nullptr;
  const Index* other = nullptr;
  Count size = 0;
};

struct RowKernels {
  const char* name = "";
  // weight: by entry, or null; scratch: gather_scratch(width) numbers.
  void (*gather)(const RowEntries& row, const float* table, const float* variance, int width,
                 const float* residual, const float* weight, float* scratch, double* gram, double* right,
                 double* spread) = nullptr;
  void (*solve)(double* gram, int width, double* x) = nullptr;
  void (*advance)(const RowEntries& row, const float* table, int width, const float* step,
                  float* residual) = nullptr;
  void (*products)(const RowEntries& row, const float* table, int width, const float* own,
                   double* product) = nullptr;
  void (*add_rows)(const RowEntries& row, const float* table, int width, const float* weight,
                   float* sum) = nullptr;
};

inline constexpr int kRowBatch = 64;  // entries gathered at a time
[[nodiscard]] constexpr int gather_scratch(int width) { return kRowBatch * width; }

// The best set this machine runs, or the one named by use_kernels().
[[nodiscard]] const RowKernels& row_kernels();

RowKernels baseline_row_kernels();
RowKernels avx2_row_kernels();

}  // namespace lacuna::kernels
