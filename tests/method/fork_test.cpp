// SPDX-License-Identifier: MIT
// A process that has fitted forks, and its child fits: OpenMP's threads have stayed with the parent.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <lacuna/method/fit_once.hpp>

#include "support/random_tensor.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

constexpr unsigned kSecondsAllowed = 120;  // far more than it needs; a child that hangs is ended by SIGALRM

TEST(Fork, AChildFitsAsItsParentDid) {
  const test::WithThreads scope(2);
  Rng rng(3);
  const ObservedTensor tensor = test::low_rank_tensor({30, 30, 20}, 2, 9000, 0.01, rng);
  Settings options;
  options.ranks = {2, 2, 2};
  options.max_iterations = 2;
  options.latent.path = 0;
  const double objective = fit_once(tensor, options).last.objective;
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSecondsAllowed);
    _exit(fit_once(tensor, options).last.objective == objective ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status)) << "ended by signal " << WTERMSIG(status);
  EXPECT_EQ(WEXITSTATUS(status), 0) << "the child found another objective";
}

}  // namespace
}  // namespace lacuna
