// SPDX-License-Identifier: MIT
// The fiber kernels for the compiler's default instruction set.
#include "kernels/fiber_kernels.hpp"

namespace lacuna::kernels {
namespace baseline {
namespace {
#include "kernels/fiber_kernels_impl.hpp"
}
}  // namespace baseline

template <>
FiberKernels<double> baseline_kernels() {
  return baseline::make_set<double>("baseline");
}
template <>
FiberKernels<float> baseline_kernels() {
  return baseline::make_set<float>("baseline");
}

}  // namespace lacuna::kernels
