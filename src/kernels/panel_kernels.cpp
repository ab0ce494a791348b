// SPDX-License-Identifier: MIT
#include "kernels/panel_kernels.hpp"

#include "kernels/fiber_kernels.hpp"

namespace lacuna::kernels {

PanelMultiply panel_multiply() {
  return chosen_set() == 0 || kernel_sets() == 1 ? baseline_panel_multiply() : avx2_panel_multiply();
}

}  // namespace lacuna::kernels
