// SPDX-License-Identifier: MIT
#include "kernels/fiber_kernels.hpp"

#include <algorithm>
#include <atomic>

#include "base/machine.hpp"

namespace lacuna::kernels {
namespace {

std::atomic<int> chosen{-1};  // -1: the best

int best_set() { return kernel_sets() - 1; }

}  // namespace

int kernel_sets() {
  static const int sets = machine_has_avx2() ? 2 : 1;
  return sets;
}

int chosen_set() { return chosen >= 0 ? static_cast<int>(chosen) : best_set(); }
void use_kernels(int which) { chosen = std::clamp(which, 0, best_set()); }

template <class Real>
const FiberKernels<Real>& fiber_kernels() {
  static const FiberKernels<Real> plain = baseline_kernels<Real>();
  static const FiberKernels<Real> wide = kernel_sets() > 1 ? avx2_kernels<Real>() : plain;
  return chosen_set() == 0 ? plain : wide;
}

template const FiberKernels<double>& fiber_kernels();
template const FiberKernels<float>& fiber_kernels();

}  // namespace lacuna::kernels
