// SPDX-License-Identifier: MIT
// Parallel loops: every element once, and sums whose bits ignore the thread count.
#include "base/parallel.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "base/rng.hpp"
#include "dist/communicator.hpp"
#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::same_bits;
using test::WithThreads;

TEST(Parallel, ThreadCountIsWhatWasAskedFor) {
  for (const int threads : {1, 2, 3, 7}) {
    const WithThreads scope(threads);
    EXPECT_EQ(thread_count(), threads);
  }
  set_thread_count(0);
  EXPECT_EQ(thread_count(), omp_get_num_procs());
  set_thread_count(-3);
  EXPECT_EQ(thread_count(), omp_get_num_procs());
}

TEST(Parallel, BlocksCoverEveryElementOnce) {
  for (const int threads : {1, 2, 3, 7})
    for (const std::int64_t count : {0, 1, 9, 10, 11, 1000}) {
      const WithThreads scope(threads);
      std::vector<int> visits(static_cast<std::size_t>(count));
      parallel_blocks(
          count,
          [&](std::int64_t begin, std::int64_t end) {
            EXPECT_EQ(begin % 10, 0);
            EXPECT_LE(end - begin, 10);
            for (std::int64_t i = begin; i < end; ++i) ++visits[i];
          },
          10);
      EXPECT_TRUE(std::all_of(visits.begin(), visits.end(), [](int n) { return n == 1; })) << count;
    }
}

TEST(Parallel, SumHasTheSameBitsAtAnyThreadCount) {
  constexpr std::int64_t kSize = 10 * kBlock + 123;
  Rng rng(5);
  std::vector<double> values;  // of very different sizes, so another order of adding would show
  for (std::int64_t i = 0; i < kSize; ++i)
    values.push_back(rng.normal() * std::pow(10.0, 12 * rng.uniform()));
  const auto sum = [&] {
    return parallel_sum(kSize, [&](std::int64_t begin, std::int64_t end) {
      double partial = 0.0;
      for (std::int64_t i = begin; i < end; ++i) partial += values[i];
      return partial;
    });
  };
  set_thread_count(1);
  const double alone = sum();
  for (const int threads : {2, 3, 7}) {
    const WithThreads scope(threads);
    EXPECT_TRUE(same_bits(sum(), alone)) << threads << " threads";
  }
}

TEST(Parallel, SumsOfMoreBlocksThanABatchAreInBlockOrder) {
  struct Pair {
    double harmonic = 0.0;
    std::int64_t count = 0;
    Pair& operator+=(const Pair& other) {
      harmonic += other.harmonic;
      count += other.count;
      return *this;
    }
  };
  for (const std::int64_t count : {255, 256, 257, 512, 1000}) {
    double expected = 0.0;
    for (std::int64_t i = 0; i < count; ++i) expected += 1.0 / static_cast<double>(i + 1);
    const auto body = [](std::int64_t begin, std::int64_t end) {
      return Pair{.harmonic = 1.0 / static_cast<double>(end), .count = end - begin};
    };
    for (const int threads : {1, 3}) {
      const WithThreads scope(threads);
      const Pair sum = parallel_sum(count, body, 1);
      EXPECT_TRUE(same_bits(sum.harmonic, expected)) << count;
      EXPECT_EQ(sum.count, count);
    }
  }
}

TEST(Parallel, SumOfNothingIsZero) {
  EXPECT_EQ(parallel_sum(0, [](std::int64_t, std::int64_t) { return 1.0; }), 0.0);
}

template <class Real>
void check_dot(std::int64_t size) {
  Rng rng(6);
  const std::vector<Real> a = test::random_vector<Real>(size, rng);
  const std::vector<Real> b = test::random_vector<Real>(size, rng);
  long double exact = 0.0L;
  long double magnitude = 0.0L;
  for (std::int64_t i = 0; i < size; ++i) {
    exact += static_cast<long double>(a[i]) * static_cast<long double>(b[i]);
    magnitude += std::abs(static_cast<long double>(a[i]) * static_cast<long double>(b[i]));
  }
  set_thread_count(1);
  const double alone = dot<Real>(serial_communicator(), a, b);
  // Sums of double even for float: each lane adds at most a block's eighth, then the blocks.
  const double roundings = static_cast<double>(kBlock) / 8 + 20;
  EXPECT_NEAR(alone, static_cast<double>(exact), roundings * 0x1.0p-53 * static_cast<double>(magnitude));
  for (const int threads : {2, 3, 7}) {
    const WithThreads scope(threads);
    EXPECT_TRUE(same_bits(dot<Real>(serial_communicator(), a, b), alone)) << threads << " threads";
  }
}

TEST(Dot, IsTheInnerProductWithTheSameBitsAtAnyThreadCount) {
  for (const std::int64_t size : {std::int64_t{0}, std::int64_t{1}, std::int64_t{7}, std::int64_t{8},
                                  std::int64_t{17}, kBlock, 5 * kBlock + 3}) {
    check_dot<double>(size);
    check_dot<float>(size);
  }
  set_thread_count(0);
}

}  // namespace
}  // namespace lacuna
