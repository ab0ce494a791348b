// SPDX-License-Identifier: MIT
#include "kernels/link_kernels.hpp"

#include "kernels/fiber_kernels.hpp"

namespace lacuna::kernels {

const LinkKernels& link_kernels() {
  static const LinkKernels plain = baseline_link_kernels();
  static const LinkKernels wide = kernel_sets() > 1 ? avx2_link_kernels() : plain;
  return chosen_set() == 0 ? plain : wide;
}

}  // namespace lacuna::kernels
