// SPDX-License-Identifier: MIT
// The fiber kernels for AVX2 and FMA.
#include "kernels/fiber_kernels.hpp"

namespace lacuna::kernels {
namespace avx2 {
namespace {
#include "kernels/fiber_kernels_impl.hpp"
}
}  // namespace avx2

template <>
FiberKernels<double> avx2_kernels() {
  return avx2::make_set<double>("avx2");
}
template <>
FiberKernels<float> avx2_kernels() {
  return avx2::make_set<float>("avx2");
}

}  // namespace lacuna::kernels
