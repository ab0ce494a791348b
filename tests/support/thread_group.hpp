// SPDX-License-Identifier: MIT
// Processes played by threads of one program: a Communicator whose messages are copies of memory. What runs here runs
// under MPI with the same bits, since a carrier only moves bytes.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

#include "dist/communicator.hpp"

namespace lacuna::test {

class ThreadGroup {
 public:
  explicit ThreadGroup(int size)
      : size_(size), values_(static_cast<std::size_t>(size)), bytes_(static_cast<std::size_t>(size)) {}

  // body(communicator) on every thread; throws what the first of them that failed has thrown.
  template <class Body>
  void run(Body&& body) {
    std::vector<std::thread> threads;
    for (int rank = 0; rank < size_; ++rank)
      threads.emplace_back([&, rank] {
        try {
          const Member member(*this, rank);
          body(static_cast<const Communicator&>(member));
        } catch (...) {
          fail();
        }
      });
    for (std::thread& thread : threads) thread.join();
    if (problem_) std::rethrow_exception(problem_);
  }

 private:
  class Member final : public Communicator {
   public:
    Member(ThreadGroup& group, int rank) : Communicator(rank, group.size_), group_(&group) {}

   private:
    void carry_all_to_all(const std::byte* values, std::span<const std::int64_t> bytes, std::byte* received,
                          std::span<const std::int64_t> from) const override {
      group_->values_[rank()] = values;
      group_->bytes_[rank()].assign(bytes.begin(), bytes.end());
      group_->wait();
      std::int64_t at = 0;
      for (int r = 0; r < size(); ++r) {
        std::int64_t begin = 0;
        for (int before = 0; before < rank(); ++before) begin += group_->bytes_[r][before];
        if (group_->bytes_[r][rank()] != from[r]) throw std::logic_error("sent and expected bytes differ");
        if (from[r] > 0)
          std::memcpy(received + at, group_->values_[r] + begin, static_cast<std::size_t>(from[r]));
        at += from[r];
      }
      group_->wait();
    }
    void carry_gather(const std::byte* mine, std::int64_t bytes, std::byte* all) const override {
      group_->values_[rank()] = mine;
      group_->wait();
      for (int r = 0; r < size() && bytes > 0; ++r)
        std::memcpy(all + r * bytes, group_->values_[r], static_cast<std::size_t>(bytes));
      group_->wait();
    }
    void carry_broadcast(std::byte* values, std::int64_t bytes, int from) const override {
      if (rank() == from) group_->values_[from] = values;
      group_->wait();
      if (rank() != from && bytes > 0)
        std::memcpy(values, group_->values_[from], static_cast<std::size_t>(bytes));
      group_->wait();
    }

    ThreadGroup* group_;
  };

  // Until all are here, or one will never be.
  void wait() {
    std::unique_lock<std::mutex> held(lock_);
    const int round = round_;
    if (++waiting_ == size_) {
      waiting_ = 0;
      ++round_;
      changed_.notify_all();
    }
    // Looks again now and then: on a crowded machine a thread was found asleep after it had been notified.
    while (!changed_.wait_for(held, std::chrono::milliseconds(200),
                              [&] { return round != round_ || problem_; })) {
    }
    if (round == round_) throw std::runtime_error("another member of the group has failed");
  }
  void fail() {
    const std::lock_guard<std::mutex> held(lock_);
    if (!problem_) problem_ = std::current_exception();
    changed_.notify_all();
  }

  int size_;
  std::vector<const std::byte*> values_;
  std::vector<std::vector<std::int64_t>> bytes_;
  std::mutex lock_;
  std::condition_variable changed_;
  int waiting_ = 0;
  int round_ = 0;
  std::exception_ptr problem_;
};

}  // namespace lacuna::test
