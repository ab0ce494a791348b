// SPDX-License-Identifier: MIT
// Instruction sets of the processor, found at run time.
#pragma once

#include <unistd.h>

namespace lacuna {

inline bool machine_has_avx2() {  // and FMA
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}

// Bytes of memory there are.
inline double available_memory() {
  return static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
}

}  // namespace lacuna
