// SPDX-License-Identifier: MIT
// What parallel loops do when things go wrong: exceptions, forks, limits on threads.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <new>
#include <stdexcept>
#include <string>
#include <thread>

#include "base/parallel.hpp"
#include "support/sanitized.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::WithThreads;

constexpr int kSecondsAllowed = 20;

// Runs the body in a forked child; its exit code, or 128 + the signal that ended it (SIGALRM: it hung).
template <class Body>
int in_child(Body&& body) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsAllowed);
    _exit(body());
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

double sum_to(std::int64_t count) {
  return parallel_sum(
      count, [](std::int64_t begin, std::int64_t end) { return static_cast<double>(end - begin); }, 10);
}

TEST(ParallelFailure, AnExceptionOfABlockIsThrownAfterTheLoop) {
  for (const int threads : {1, 2, 7}) {
    const WithThreads scope(threads);
    EXPECT_THROW(parallel_blocks(
                     1000,
                     [](std::int64_t begin, std::int64_t) {
                       if (begin == 730) throw std::bad_alloc();
                     },
                     10),
                 std::bad_alloc);
    EXPECT_THROW(parallel_tasks(5, [](int task) { throw std::runtime_error(std::to_string(task)); }),
                 std::runtime_error);
    EXPECT_THROW((void)parallel_sum(
                     1000, [](std::int64_t, std::int64_t) -> double { throw std::bad_alloc(); }, 10),
                 std::bad_alloc);
    EXPECT_EQ(sum_to(1000), 1000.0);  // and the next loop is as always
  }
}

TEST(ParallelFailure, NoBlockIsRunAfterAFailure) {
  const WithThreads scope(1);
  int last = -1;
  EXPECT_THROW(parallel_tasks(9,
                              [&](int task) {
                                last = task;
                                if (task == 3) throw std::bad_alloc();
                              }),
               std::bad_alloc);
  EXPECT_EQ(last, 3);
}

TEST(ParallelFailure, AChildOfAProcessWithThreadsWorksAlone) {
  const WithThreads scope(2);
  EXPECT_EQ(sum_to(1000), 1000.0);  // from here on this process has a second thread
  EXPECT_EQ(in_child([] { return sum_to(1000) == 1000.0 && thread_count() == 1 ? 0 : 1; }), 0);
  EXPECT_EQ(in_child([] {
              set_thread_count(4);
              return sum_to(1000) == 1000.0 && thread_count() == 1 ? 0 : 1;
            }),
            0);
  EXPECT_EQ(thread_count(), 2);
}

TEST(ParallelFailure, FewerThreadsWhereTheSystemRefusesMore) {
  if (test::kSanitized) GTEST_SKIP() << "a sanitizer's shadow takes all address space";
  EXPECT_EQ(in_child([] {
              const rlimit most{.rlim_cur = std::size_t{1} << 28, .rlim_max = std::size_t{1} << 28};
              if (setrlimit(RLIMIT_AS, &most) != 0) return 2;
              set_thread_count(200);  // 8 MB of stack each
              return sum_to(100000) == 100000.0 && thread_count() < 100 ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace lacuna
