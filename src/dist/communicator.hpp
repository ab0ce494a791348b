// SPDX-License-Identifier: MIT
// The processes that share the observed entries, and what they tell each other. Problems and solvers sum over the
// entries of a distributed vector in no other way, so that the same code runs on one process and on many; on one all
// of this does nothing.
//
// Sums are taken in the order of the ranks and handed to everyone: the same bits on every process, and from run to
// run, whatever carries the messages. A carrier moves bytes and decides nothing (three functions, below).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "base/parallel.hpp"

namespace lacuna {

class Communicator {
 public:
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] bool alone() const { return size_ == 1; }
  [[nodiscard]] bool first() const { return rank_ == 0; }

  // Every function below is called by all processes, in the same order.

  // values <- the sum of every process's values.
  void sum(std::span<double> values) const {
    if (!alone()) add_up(values);
  }
  void sum(std::span<float> values) const {
    if (!alone()) add_up(values);
  }
  [[nodiscard]] double sum(double value) const {
    sum(std::span<double>(&value, 1));
    return value;
  }
  [[nodiscard]] std::int64_t sum(std::int64_t value) const;
  [[nodiscard]] double max(double value) const;
  [[nodiscard]] bool any(bool here) const { return max(here ? 1.0 : 0.0) > 0.0; }
  [[nodiscard]] bool all(bool here) const { return !any(!here); }
  // flags[i] <- whether any process has flags[i].
  void any(std::vector<bool>& flags) const;

  // values <- the first process's. Libraries for linear algebra compute in another order on another kind of processor:
  // what every process computes for itself may differ in its last bits, and all decide by what one of them has.
  template <class T>
  void as_first(std::span<T> values) const {
    static_assert(std::is_trivially_copyable_v<T>);
    if (!alone()) hand_out(std::as_writable_bytes(values));
  }
  template <class T>
  [[nodiscard]] T as_first(T value) const {
    as_first(std::span<T>(&value, 1));
    return value;
  }

  // Everyone's values one after the other, by rank: at everyone, and at the first process alone.
  template <class T>
  [[nodiscard]] std::vector<T> gather(std::span<const T> mine) const {
    std::vector<std::int64_t> to(static_cast<std::size_t>(size_), static_cast<std::int64_t>(mine.size()));
    return repeated(mine, to);
  }
  template <class T>
  [[nodiscard]] std::vector<T> gather_at_first(std::span<const T> mine) const {
    std::vector<std::int64_t> to(static_cast<std::size_t>(size_), 0);
    to[0] = static_cast<std::int64_t>(mine.size());
    return all_to_all(mine, to);
  }
  [[nodiscard]] std::string broadcast(std::string text, int from = 0) const;

  // Sends counts[r] of the values, one stretch after the other, to process r; what comes in, by rank.
  template <class T>
  [[nodiscard]] std::vector<T> all_to_all(std::span<const T> values,
                                          std::span<const std::int64_t> counts) const {
    const std::vector<std::int64_t> from = transposed(counts);
    std::vector<T> received(static_cast<std::size_t>(total(from)));
    all_to_all(values, counts, std::span<T>(received), from);
    return received;
  }
  template <class T>
  void all_to_all(std::span<const T> values, std::span<const std::int64_t> counts, std::span<T> received,
                  std::span<const std::int64_t> from) const {
    static_assert(std::is_trivially_copyable_v<T>);
    send(std::as_bytes(values), counts, std::as_writable_bytes(received), from, sizeof(T));
  }
  // What each process sends to this one, when this one sends counts[r] to process r.
  [[nodiscard]] std::vector<std::int64_t> transposed(std::span<const std::int64_t> counts) const;

  // What this process has sent to others since it began.
  struct Traffic {
    std::int64_t calls = 0;
    std::int64_t bytes = 0;
  };
  [[nodiscard]] const Traffic& sums() const { return sums_; }            // of sums and agreements
  [[nodiscard]] const Traffic& exchanges() const { return exchanges_; }  // of all_to_all

 protected:
  Communicator(int rank, int size) : rank_(rank), size_(size) {}

  // The carrier. Never called on a process that is alone. Counts are of bytes.
  // bytes[r] of `values`, one after the other, go to process r; from[r] come from there.
  virtual void carry_all_to_all(const std::byte* values, std::span<const std::int64_t> bytes,
                                std::byte* received, std::span<const std::int64_t> from) const = 0;
  // all <- every process's bytes, equally many, by rank.
  virtual void carry_gather(const std::byte* mine, std::int64_t bytes, std::byte* all) const = 0;
  virtual void carry_broadcast(std::byte* values, std::int64_t bytes, int from) const = 0;

 private:
  template <class T, class Combine>
  void combine(std::span<T> values, Combine&& combined) const;
  template <class Real>
  void add_up(std::span<Real> values) const;
  template <class T>
  [[nodiscard]] std::vector<T> repeated(std::span<const T> mine, std::span<const std::int64_t> to) const {
    std::vector<T> copies;
    copies.reserve(mine.size() * static_cast<std::size_t>(size_));
    for (int r = 0; r < size_; ++r) copies.insert(copies.end(), mine.begin(), mine.end());
    return all_to_all<T>(copies, to);
  }
  [[nodiscard]] static std::int64_t total(std::span<const std::int64_t> counts);
  void send(std::span<const std::byte> values, std::span<const std::int64_t> counts,
            std::span<std::byte> received, std::span<const std::int64_t> from, std::size_t element) const;
  void hand_out(std::span<std::byte> bytes) const;
  void gather_bytes(const void* mine, std::size_t bytes, void* all) const;

  int rank_;
  int size_;
  mutable Traffic sums_;
  mutable Traffic exchanges_;
};

// For a single process: everything stays as it is.
[[nodiscard]] const Communicator& serial_communicator();

// <a, b> over all entries of all processes, accumulated in double.
template <class Real>
[[nodiscard]] double dot(const Communicator& everyone, std::span<const Real> a, std::span<const Real> b) {
  return everyone.sum(parallel_sum(static_cast<std::int64_t>(a.size()), [&](std::int64_t begin,
                                                                            std::int64_t end) {
    double lanes[8] = {};  // independent partial sums let the compiler use vector instructions
    std::int64_t i = begin;
    for (; i + 8 <= end; i += 8)
      for (int lane = 0; lane < 8; ++lane)
        lanes[lane] += static_cast<double>(a[i + lane]) * static_cast<double>(b[i + lane]);
    for (; i < end; ++i) lanes[0] += static_cast<double>(a[i]) * static_cast<double>(b[i]);
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
  }));
}

}  // namespace lacuna
