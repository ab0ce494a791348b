// SPDX-License-Identifier: MIT
// The innermost loops over fibers, compiled once per instruction set and chosen at run time.
//
// Notation: c is a fiber, e its entries, u_e the row of a factor that entry e selects (U[row(e), :]).
//   gather      t_c  = sum_{e in c} x_e u_e              (a column of U' X_k)
//   apply       y_e += scale u_e . t_c                   ((X x_k U U')_Omega)
//   directional y_e += scale (u_e . (V'x)_c + v_e . (U'x)_c)   ((X x_k (U V' + V U'))_Omega)
//   gram        g_e += scale x_e (U'x)_c                 (rows of X_k X_k' U)
//   cross       g_e += scale (x_e (U'w)_c + w_e (U'x)_c) (rows of (X_k W_k' + W_k X_k') U)
// Each costs O(entries x rank). A factor's rows are padded with zeros to whole vectors, so no loop has a
// tail; a factor wider than kMaxVectors vectors is handled in blocks of columns, which all four sums allow.
#pragma once

#include <lacuna/tensor/tensor.hpp>

namespace lacuna::kernels {

inline constexpr int kVectorBytes = 32;
inline constexpr int kMaxVectors = 6;
inline constexpr int kHalfVector = kMaxVectors + 1;  // where the kernels for rows of half a vector are

template <class Real>
inline constexpr int kLanes = kVectorBytes / static_cast<int>(sizeof(Real));

// Numbers a row of this many columns takes.
template <class Real>
[[nodiscard]] constexpr Count padded(int columns) {
  if (columns == 1) return 1;
  if (columns <= kLanes<Real> / 2) return kLanes<Real> / 2;
  return (columns + kLanes<Real> - 1) / kLanes<Real> * kLanes<Real>;
}

// Consecutive fibers: fiber f has the positions [start[f], start[f+1]) of entry and row, or, when start is
// null, the positions [f * length, (f+1) * length). What a fiber adds is multiplied by weight[f], unless
// weight is null.
struct FiberRange {
  const Index* entry = nullptr;
  const Index* row = nullptr;
  const Count* start = nullptr;
  int length = 0;
  Count fibers = 0;
  const float* weight = nullptr;
};

template <class Real>
struct FiberKernels {
  const char* name = "";
  // All indexed by the number of vectors in a row; [0] is for factors of one column, stored without padding,
  // [kHalfVector] for those that half a vector holds.
  void (*apply[kMaxVectors + 2])(const FiberRange& range, const Real* u, Count stride, Real scale,
                                 const Real* x, Real* y) = {};
  void (*directional[kMaxVectors + 2])(const FiberRange& range, const Real* u, const Real* v, Count stride,
                                       Real scale, const Real* x, Real* y) = {};
  void (*gram[kMaxVectors + 2])(const FiberRange& range, const Real* u, Count stride, Real scale,
                                const Real* x, Real* g) = {};
  void (*cross[kMaxVectors + 2])(const FiberRange& range, const Real* u, Count stride, Real scale,
                                 const Real* x, const Real* w, Real* g) = {};
  // t_c of each fiber of the range, one row of `stride` numbers after the other.
  void (*gather[kMaxVectors + 2])(const FiberRange& range, const Real* u, Count stride, Real scale,
                                  const Real* x, Real* t) = {};
  // off[f][...] += scale u_a . u_b for all pairs a < b of entries of a short fiber; range.length says how
  // many.
  void (*pair_products[kMaxVectors + 2])(const FiberRange& range, const Real* u, Count stride, Real scale,
                                         Real* off) = {};
  // y_a += off_ab x_b, y_b += off_ab x_a over the pairs of each short fiber.
  void (*apply_pairs)(const FiberRange& range, const Real* off, const Real* x, Real* y) = nullptr;
};

// The best set this machine runs, or the one named by use_kernels().
template <class Real>
[[nodiscard]] const FiberKernels<Real>& fiber_kernels();

// Every set this machine can run, the plain one first.
[[nodiscard]] int kernel_sets();
// The one in use: the last, unless use_kernels() named another.
[[nodiscard]] int chosen_set();
// Use set `which` from now on (0 = plain); for tests.
void use_kernels(int which);

template <class Real>
FiberKernels<Real> baseline_kernels();
template <class Real>
FiberKernels<Real> avx2_kernels();

}  // namespace lacuna::kernels
