// SPDX-License-Identifier: MIT
// The kernels of link prediction for AVX2 and FMA.
#include "kernels/link_kernels.hpp"

namespace lacuna::kernels {
namespace avx2 {
namespace {
#include "kernels/link_kernels_impl.hpp"
}
}  // namespace avx2

LinkKernels avx2_link_kernels() { return avx2::make_link_set(); }

}  // namespace lacuna::kernels
