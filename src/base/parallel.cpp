// SPDX-License-Identifier: MIT
#include <atomic>
#include <lacuna/base/parallel.hpp>

namespace lacuna {
namespace {
std::atomic<int> requested_threads{0};
}

void set_thread_count(int threads) { requested_threads = std::max(0, threads); }

int thread_count() {
  const int requested = requested_threads;
  return requested > 0 ? requested : omp_get_num_procs();
}

}  // namespace lacuna
