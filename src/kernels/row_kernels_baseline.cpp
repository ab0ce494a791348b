// SPDX-License-Identifier: MIT
// The kernels of alternating least squares for the compiler's default instruction set.
#include "kernels/row_kernels.hpp"

namespace lacuna::kernels {
namespace baseline {
namespace {
#include "kernels/row_kernels_impl.hpp"
}
}  // namespace baseline

RowKernels baseline_row_kernels() { return baseline::make_row_set("baseline"); }

}  // namespace lacuna::kernels
