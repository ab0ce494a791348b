// SPDX-License-Identifier: MIT
// Random numbers that are the same on every machine: the standard's generators are portable, its
// distributions are not, so the few we need are here. xoshiro256** seeded through splitmix64 (Blackman &
// Vigna 2018).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace lacuna {

class Rng {
 public:
  explicit Rng(std::uint64_t seed) {
    for (auto& word : state_) {
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t mixed = seed;
      mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
      mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
      word = mixed ^ (mixed >> 31);
    }
  }

  std::uint64_t next() {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Uniform on [0, 1), 53 bits.
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  // Uniform on {0, ..., count - 1}, without bias (rejection).
  std::uint64_t below(std::uint64_t count) {
    const std::uint64_t threshold = (0 - count) % count;
    for (;;) {
      const std::uint64_t draw = next();
      if (draw >= threshold) return draw % count;
    }
  }

  // Standard normal (Box-Muller; the second of each pair is kept for the next call).
  double normal() {
    if (has_spare_) {
      has_spare_ = false;
      return spare_;
    }
    const double radius = std::sqrt(-2.0 * std::log(1.0 - uniform()));
    const double angle = 2.0 * std::numbers::pi * uniform();
    spare_ = radius * std::sin(angle);
    has_spare_ = true;
    return radius * std::cos(angle);
  }

  template <class A>
  void fields(A& archive) {
    archive("state0", state_[0]);
    archive("state1", state_[1]);
    archive("state2", state_[2]);
    archive("state3", state_[3]);
    archive("spare", spare_);
    archive("has_spare", has_spare_);
  }

 private:
  std::uint64_t state_[4]{};
  double spare_ = 0.0;
  bool has_spare_ = false;
};

}  // namespace lacuna
