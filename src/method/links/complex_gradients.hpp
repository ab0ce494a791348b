// SPDX-License-Identifier: MIT
// Derivatives that the losses of ComplEx share. A row holds the real parts of `rank` numbers, then their imaginary
// parts. With q = e * w, and g the derivative with respect to q:
//
//   with respect to e: g * conj w        with respect to w: g * conj e
//
// and of the penalty sum_j |x_j|^3 (N3; Lacroix, Usunier, Obozinski 2018): 3 |x_j| x_j.
#pragma once

#include <cmath>
#include <functional>

#include "model/complex.hpp"

namespace lacuna {

// to += g * conj other
inline void add_factor_gradient(const float* g, const float* other, int rank, float* to) {
  for (int j = 0; j < rank; ++j) {
    to[j] += g[j] * other[j] + g[rank + j] * other[rank + j];
    to[rank + j] += g[rank + j] * other[j] - g[j] * other[rank + j];
  }
}

// to += weight 3 |x| x
inline void add_penalty_gradient(const float* x, float weight, int rank, float* to) {
  for (int j = 0; j < rank; ++j) {
    const float size = 3.0F * weight * std::sqrt(x[j] * x[j] + x[rank + j] * x[rank + j]);
    to[j] += size * x[j];
    to[rank + j] += size * x[rank + j];
  }
}

// sum_j |x_j|^3
inline double penalty(const float* x, int rank) {
  double sum = 0.0;
  for (int j = 0; j < rank; ++j) {
    const double square = static_cast<double>(x[j]) * x[j] + static_cast<double>(x[rank + j]) * x[rank + j];
    sum += square * std::sqrt(square);
  }
  return sum;
}

// What becomes of the gradient of one row, of entities or of relations, when a batch is done.
using MoveRow = std::function<void(bool entity, Index row, const float* gradient)>;

}  // namespace lacuna
