// SPDX-License-Identifier: MIT
// Products with tables in panels, for the compiler's default instruction set.
#include "kernels/panel_kernels.hpp"

namespace lacuna::kernels {
namespace baseline {
namespace {
#include "kernels/panel_kernels_impl.hpp"
}
}  // namespace baseline

PanelMultiply baseline_panel_multiply() { return baseline::multiply; }

}  // namespace lacuna::kernels
