// SPDX-License-Identifier: MIT
// Derivatives by the factors, of which each process has what its entries give, summed over processes: all parts in one
// list, so that they are one message to each process and not one a part.
#pragma once

#include <span>
#include <vector>

#include "dist/communicator.hpp"
#include "linalg/matrix.hpp"

namespace lacuna {

// Counted apart from the other sums: of all that processes tell each other beside entries they are the most.
struct SentSums {
  std::int64_t calls = 0;
  std::int64_t bytes = 0;  // of this process
  void add(const SentSums& more) {
    calls += more.calls;
    bytes += more.bytes;
  }
};

template <class Real>
class FactorSums {
 public:
  void sum(const Communicator& everyone, std::span<Matrix<Real>> parts) {
    if (everyone.alone()) return;
    list_.clear();
    for (const Matrix<Real>& part : parts) list_.insert(list_.end(), flat(part).begin(), flat(part).end());
    const std::int64_t before = everyone.sums().bytes;
    everyone.sum(std::span<Real>(list_));
    sent_.add({.calls = 1, .bytes = everyone.sums().bytes - before});
    auto next = list_.begin();
    for (Matrix<Real>& part : parts)
      for (Real& value : flat(part)) value = *next++;
  }
  [[nodiscard]] const SentSums& sent() const { return sent_; }

 private:
  std::vector<Real> list_;  // memory is kept from sum to sum
  SentSums sent_;
};

}  // namespace lacuna
