// SPDX-License-Identifier: MIT
#include "base/parallel.hpp"

#include <malloc.h>
#include <pthread.h>
#include <sys/stat.h>

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace lacuna {
namespace {

std::atomic<int> requested_threads{0};
std::atomic<int> usable_threads{0};  // 0: not found out yet
std::atomic<bool> threads_before_fork{false};
std::atomic<bool> alone{false};  // a child whose parent's threads are not here

// How many threads, this one counted, the system lets the process have at once: limits on address space, on
// processes, or of a control group may allow fewer than are asked for, and OpenMP ends the program when it cannot
// start one. So they are started here first, where that is no disaster.
int startable(int wanted) {
  std::mutex lock;
  std::condition_variable changed;
  bool done = false;
  std::vector<std::thread> started;
  const auto wait = [&] {
    std::unique_lock<std::mutex> held(lock);
    changed.wait(held, [&] { return done; });
  };
  try {
    started.reserve(static_cast<std::size_t>(wanted));
    while (static_cast<int>(started.size()) + 1 < wanted) started.emplace_back(wait);
  } catch (const std::exception&) {  // std::system_error, or no memory to describe one more
  }
  {
    const std::lock_guard<std::mutex> held(lock);
    done = true;
  }
  changed.notify_all();
  for (std::thread& one : started) one.join();
  const int all = static_cast<int>(started.size()) + 1;
  if (all == wanted) return all;
  // At a limit OpenMP's own need more, so half of them are taken, and a thread that allocates while others are still being
  // started must not reserve an arena of its own, which is as large as many stacks.
  mallopt(M_ARENA_MAX, 1);
  return std::max(1, all / 2);
}

// The folder has a link for each thread, and two of its own.
bool has_threads() {
  struct stat info {};
  return ::stat("/proc/self/task", &info) != 0 || info.st_nlink > 3;
}

struct AtFork {
  AtFork() {
    pthread_atfork([] { threads_before_fork = has_threads(); }, nullptr,
                   [] {
                     if (threads_before_fork) alone = true;
                   });
  }
};
const AtFork at_fork;

}  // namespace

void set_thread_count(int threads) {
  requested_threads = std::max(0, threads);
  usable_threads = 0;
}

int thread_count() {
  if (alone.load(std::memory_order_relaxed)) return 1;
  if (const int usable = usable_threads.load(std::memory_order_relaxed); usable > 0) return usable;
  const int requested = requested_threads;
  const int usable = startable(requested > 0 ? requested : omp_get_num_procs());
  usable_threads = usable;
  return usable;
}

void LoopFailure::keep() noexcept {
  if (!failed_.exchange(true)) problem_ = std::current_exception();
}

}  // namespace lacuna
