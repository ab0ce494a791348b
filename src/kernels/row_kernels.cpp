// SPDX-License-Identifier: MIT
#include "kernels/row_kernels.hpp"

#include "kernels/fiber_kernels.hpp"

namespace lacuna::kernels {

const RowKernels& row_kernels() {
  static const RowKernels plain = baseline_row_kernels();
  static const RowKernels wide = kernel_sets() > 1 ? avx2_row_kernels() : plain;
  return chosen_set() == 0 ? plain : wide;
}

}  // namespace lacuna::kernels
