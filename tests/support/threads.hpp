// SPDX-License-Identifier: MIT
// A thread count that lasts for one scope, and a comparison that tells the last bit.
#pragma once

#include <cstring>
#include <lacuna/base/base.hpp>
#include <span>

namespace lacuna::test {

class WithThreads {
 public:
  explicit WithThreads(int threads) { set_thread_count(threads); }
  WithThreads(const WithThreads&) = delete;
  WithThreads& operator=(const WithThreads&) = delete;
  ~WithThreads() { set_thread_count(0); }
};

// Unlike ==, tells 0 from -0 and finds a NaN equal to itself.
template <class Real>
[[nodiscard]] bool same_bits(std::span<const Real> a, std::span<const Real> b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size_bytes()) == 0);
}
[[nodiscard]] inline bool same_bits(double a, double b) {
  return same_bits(std::span<const double>(&a, 1), std::span<const double>(&b, 1));
}

}  // namespace lacuna::test
