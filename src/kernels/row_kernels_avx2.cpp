// SPDX-License-Identifier: MIT
// The kernels of alternating least squares for AVX2 and FMA.
#include "kernels/row_kernels.hpp"

namespace lacuna::kernels {
namespace avx2 {
namespace {
#include "kernels/row_kernels_impl.hpp"
}
}  // namespace avx2

RowKernels avx2_row_kernels() { return avx2::make_row_set("avx2"); }

}  // namespace lacuna::kernels
