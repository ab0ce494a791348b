// SPDX-License-Identifier: MIT
// Products with tables in panels, for AVX2 and FMA.
#include "kernels/panel_kernels.hpp"

namespace lacuna::kernels {
namespace avx2 {
namespace {
#include "kernels/panel_kernels_impl.hpp"
}
}  // namespace avx2

PanelMultiply avx2_panel_multiply() { return avx2::multiply; }

}  // namespace lacuna::kernels
