// SPDX-License-Identifier: MIT
// What processes tell each other: everyone gets the same, and nothing is lost on the way there and back.
#include "dist/communicator.hpp"

#include <gtest/gtest.h>

#include <mutex>
#include <numeric>

#include "base/rng.hpp"
#include "dist/exchange.hpp"
#include "support/thread_group.hpp"
#include "support/threads.hpp"

namespace lacuna {
namespace {

using test::ThreadGroup;

class Processes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Communicator, Processes, testing::Values(1, 2, 3, 4, 7, 64));

TEST_P(Processes, SumsAreTheSameBitsOnEveryProcess) {
  for (const std::size_t size :
       {std::size_t{0}, std::size_t{1}, std::size_t{64}, std::size_t{65}, std::size_t{1000}}) {
    std::vector<std::vector<double>> found(static_cast<std::size_t>(GetParam()));
    ThreadGroup(GetParam()).run([&](const Communicator& everyone) {
      Rng rng(static_cast<std::uint64_t>(everyone.rank()) + 1);
      std::vector<double> values(size);
      for (double& value : values) value = rng.normal();
      everyone.sum(values);
      found[static_cast<std::size_t>(everyone.rank())] = values;
    });
    std::vector<double> in_order(size, 0.0);
    for (int r = 0; r < GetParam(); ++r) {
      Rng rng(static_cast<std::uint64_t>(r) + 1);
      for (double& value : in_order) value += rng.normal();
    }
    for (const std::vector<double>& one : found)
      EXPECT_TRUE(test::same_bits(std::span<const double>(one), std::span<const double>(in_order)));
  }
}

TEST_P(Processes, AgreeAndGather) {
  const int size = GetParam();
  ThreadGroup(size).run([&](const Communicator& everyone) {
    const int rank = everyone.rank();
    EXPECT_EQ(everyone.max(static_cast<double>(-rank)), 0.0);
    EXPECT_EQ(everyone.sum(std::int64_t{rank}), size * (size - 1) / 2);
    EXPECT_TRUE(everyone.any(rank == size - 1));
    EXPECT_EQ(everyone.all(rank != size - 1), false);
    EXPECT_EQ(everyone.broadcast("from " + std::to_string(rank), size - 1),
              "from " + std::to_string(size - 1));
    const std::vector<int> mine(static_cast<std::size_t>(rank % 3), rank);
    std::vector<int> expected;
    for (int r = 0; r < size; ++r) expected.insert(expected.end(), static_cast<std::size_t>(r % 3), r);
    EXPECT_EQ(everyone.gather(std::span<const int>(mine)), expected);
    EXPECT_EQ(everyone.gather_at_first(std::span<const int>(mine)),
              rank == 0 ? expected : std::vector<int>{});
  });
}

TEST_P(Processes, AnExchangeBringsBackWhatWentThere) {
  const int size = GetParam();
  ThreadGroup(size).run([&](const Communicator& everyone) {
    Rng rng(static_cast<std::uint64_t>(everyone.rank()) + 7);
    std::vector<int> owner(rng.below(50));  // some processes have few, or none
    for (int& one : owner) one = static_cast<int>(rng.below(static_cast<std::uint64_t>(size)));
    Exchange exchange(everyone, owner);
    std::vector<std::uint32_t> order(static_cast<std::size_t>(exchange.there()));
    std::iota(order.rbegin(), order.rend(), 0U);
    exchange.arrange(order);
    std::vector<float> here(owner.size());
    for (std::size_t e = 0; e < here.size(); ++e)
      here[e] = static_cast<float>(1000 * everyone.rank() + static_cast<int>(e));
    std::vector<float> there(order.size());
    exchange.forth(std::span<const float>(here), std::span<float>(there));
    std::vector<float> back = here;
    exchange.add_back(std::span<const float>(there), std::span<float>(back));
    for (std::size_t e = 0; e < here.size(); ++e) EXPECT_EQ(back[e], 2 * here[e]);
    EXPECT_EQ(everyone.sum(exchange.here()), everyone.sum(exchange.there()));
  });
}

}  // namespace
}  // namespace lacuna
