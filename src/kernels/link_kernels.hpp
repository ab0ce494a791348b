// SPDX-License-Identifier: MIT
// The innermost loops of link prediction, compiled once per instruction set and chosen at run time. All
// matrices are of floats, with rows that are contiguous.
//
//   add_product   C += A B,  A of rows x inner with any strides, B of inner x columns, columns a multiple of
//                 kLinkStep
//   softmax       of S, rows x columns: m_j <- max_i S_ij,  S_ij <- exp(S_ij - m_j),  z_j <- sum_i S_ij, columns a
//                 multiple of kLinkStep
//   adagrad       s <- s + g^2,  x <- x - rate g / sqrt(s)  (Duchi, Hazan, Singer 2011), of kLinkStep times any
//                 number of elements
// A sum runs over its terms in their order, so nothing depends on threads.
#pragma once

#include <lacuna/tensor/tensor.hpp>

namespace lacuna::kernels {

inline constexpr int kLinkStep = 8;

[[nodiscard]] constexpr Count padded(Count size) { return (size + kLinkStep - 1) / kLinkStep * kLinkStep; }

// Element (i, l) is at data[i * row + l * column].
struct StridedMatrix {
  const float* data = nullptr;
  Count row = 0;
  Count column = 0;
};

struct LinkKernels {
  void (*add_product)(const StridedMatrix& a, const float* b, Count b_row, float* c, Count c_row, Count rows,
                      Count inner, Count columns) = nullptr;
  void (*softmax)(float* s, Count rows, Count columns, float* largest, float* total) = nullptr;
  void (*adagrad)(float* x, float* squares, const float* gradient, float rate, Count size) = nullptr;
};

// The best set this machine runs, or the one named by use_kernels().
[[nodiscard]] const LinkKernels& link_kernels();

LinkKernels baseline_link_kernels();
LinkKernels avx2_link_kernels();

}  // namespace lacuna::kernels
