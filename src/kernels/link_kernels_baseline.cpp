// SPDX-License-Identifier: MIT
// The kernels of link prediction for any processor.
#include "kernels/link_kernels.hpp"

namespace lacuna::kernels {
namespace baseline {
namespace {
#include "kernels/link_kernels_impl.hpp"
}
}  // namespace baseline

LinkKernels baseline_link_kernels() { return baseline::make_link_set(); }

}  // namespace lacuna::kernels
