// SPDX-License-Identifier: MIT
// Sums over the observed entries of all processes. Problems and solvers sum over
// the entries of a distributed vector in no other way, so a build whose entries are distributed over
// processes replaces the Communicator and nothing else.
#pragma once

#include <span>

#include "base/parallel.hpp"

namespace lacuna {

class Communicator {
 public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  // values <- the sum of every process's values, the same bits everywhere.
  virtual void sum(std::span<double> values) const = 0;
  virtual void sum(std::span<float> values) const = 0;

  [[nodiscard]] double sum(double value) const {
    sum(std::span<double>(&value, 1));
    return value;
  }
};

// For a single process: sums stay as they are.
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
