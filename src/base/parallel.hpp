// SPDX-License-Identifier: MIT
// Parallel loops, and sums whose bits do not depend on how many of them there are.
//
// Every loop is cut into blocks whose borders depend on the problem alone; a block's partial sum is computed
// by one thread, and partial sums are added in block order.
#pragma once

#include <omp.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <exception>
#include <lacuna/base/base.hpp>

namespace lacuna {

// An exception must not leave an OpenMP region: the program would end. A loop's body runs inside run(), and what
// it throws, such as std::bad_alloc, is thrown again by rethrow() after the loop. Blocks that come after a
// failure are left out; of several failures one is kept.
class LoopFailure {
 public:
  template <class Body>
  void run(Body&& body) noexcept {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      body();
    } catch (...) {
      keep();
    }
  }
  [[nodiscard]] bool any() const { return failed_.load(std::memory_order_relaxed); }
  void rethrow() const {
    if (problem_) std::rethrow_exception(problem_);
  }

 private:
  void keep() noexcept;  // the exception that is being handled, if it is the first

  std::atomic<bool> failed_{false};
  std::exception_ptr problem_;
};

inline constexpr std::int64_t kBlock = 8192;  // elements of a vector loop handled at a time

// The number of threads for a loop of this many blocks: with fewer blocks for each, starting a thread costs
// more than it saves.
inline constexpr std::int64_t kBlocksPerThread = 4;
[[nodiscard]] inline int threads_for_blocks(std::int64_t blocks) {
  return static_cast<int>(std::clamp<std::int64_t>(blocks / kBlocksPerThread, 1, thread_count()));
}

// body(begin, end) for consecutive ranges of at most `block` elements that cover [0, count).
template <class Body>
void parallel_blocks(std::int64_t count, Body&& body, std::int64_t block = kBlock) {
  const std::int64_t blocks = (count + block - 1) / block;
  const int threads = threads_for_blocks(blocks);
  LoopFailure failure;
#pragma omp parallel for num_threads(threads) schedule(static) if (threads > 1)
  for (std::int64_t b = 0; b < blocks; ++b)
    failure.run([&] { body(b * block, std::min(count, (b + 1) * block)); });
  failure.rethrow();
}

// body(task) for a few large tasks of unequal size.
template <class Body>
void parallel_tasks(int count, Body&& body) {
  const int threads = std::clamp(count, 1, thread_count());
  LoopFailure failure;
#pragma omp parallel for num_threads(threads) schedule(dynamic, 1) if (threads > 1)
  for (int task = 0; task < count; ++task) failure.run([&] { body(task); });
  failure.rethrow();
}

// The sum over blocks of body(begin, end), in block order. Blocks are taken a batch at a time, so that the
// partial sums fit on the stack: sums of vectors are part of every inner iteration, which allocates nothing.
template <class Body>
[[nodiscard]] auto parallel_sum(std::int64_t count, Body&& body, std::int64_t block = kBlock) {
  using Sum = decltype(body(count, count));
  constexpr std::int64_t kBatch = 256;
  if (count <= 0) return Sum{};
  if (count <= block) return body(std::int64_t{0}, count);
  std::array<Sum, kBatch> partial;
  Sum total{};
  for (std::int64_t first = 0; first < count; first += kBatch * block) {
    const std::int64_t here = std::min(count - first, kBatch * block);
    parallel_blocks(
        here,
        [&](std::int64_t begin, std::int64_t end) {
          partial[begin / block] = body(first + begin, first + end);
        },
        block);
    for (std::int64_t b = 0; b * block < here; ++b) total += partial[b];
  }
  return total;
}

}  // namespace lacuna
