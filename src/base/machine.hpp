// SPDX-License-Identifier: MIT
// What the machine has: instruction sets, memory. Found at run time.
#pragma once

#include <lacuna/base/base.hpp>
#include <string>

namespace lacuna {

inline bool machine_has_avx2() {  // and FMA
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx2") != 0 && __builtin_cpu_supports("fma") != 0;
#else
  return false;
#endif
}

struct MemoryLimit {
  double bytes = 0.0;
  const char* from = "";  // "this machine has", "the control group allows", ...: a sentence's verb
};

// The memory this process may use: the least of what the machine has, what the control groups it is in allow
// (memory.max, and memory.limit_in_bytes of version 1, of each group up to the root), and what its limits on address
// space and data leave beyond what it uses. `root` stands before /proc and the mount points, for tests.
[[nodiscard]] MemoryLimit memory_limit(const std::string& root = "");

// An error of kind kMemory when `what`, a thing to be done, needs more bytes than that.
[[nodiscard]] Result<> check_memory(double bytes, const std::string& what);

// "1.5 GB"
[[nodiscard]] std::string bytes_text(double bytes);

}  // namespace lacuna
