// SPDX-License-Identifier: MIT
// How many threads the library uses. Results do not depend on it.
#pragma once

namespace lacuna {

// Threads that parallel loops use; 0 asks for all of the machine's. Process-wide, read at each loop's start.
// Never more than the system lets the process start. In a child that was forked from a process with threads it is
// 1: OpenMP's threads have stayed with the parent, and a loop would wait for them for ever.
void set_thread_count(int threads);
[[nodiscard]] int thread_count();

}  // namespace lacuna
