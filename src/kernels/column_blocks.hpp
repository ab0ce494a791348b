// SPDX-License-Identifier: MIT
// How a factor of any width is handed to kernels of fixed widths.
#pragma once

#include <algorithm>

#include "kernels/fiber_kernels.hpp"

namespace lacuna::kernels {

// body(vectors, first column) for blocks of columns that cover a factor; vectors = 0 is the one-column
// kernel, kHalfVector the one for rows of half a vector.
template <class Real, class Body>
void for_column_blocks(int columns, Body&& body) {
  if (columns == 1) {
    body(0, 0);
    return;
  }
  if (columns <= kLanes<Real> / 2) {
    body(kHalfVector, 0);
    return;
  }
  const int vectors = (columns + kLanes<Real> - 1) / kLanes<Real>;
  for (int first = 0; first < vectors; first += kMaxVectors)
    body(std::min(kMaxVectors, vectors - first), first * kLanes<Real>);
}

}  // namespace lacuna::kernels
