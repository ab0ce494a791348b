// SPDX-License-Identifier: MIT
// FNV-1a over whole numbers: tells data apart, not who made them.
#pragma once

#include <bit>
#include <cstdint>
#include <lacuna/tensor/tensor.hpp>
#include <span>
#include <string_view>

namespace lacuna {

class Checksum {
 public:
  void add(std::uint64_t value) { hash_ = (hash_ ^ value) * 0x100000001b3ULL; }
  void add(double value) { add(std::bit_cast<std::uint64_t>(value)); }
  void add(std::string_view text) {
    add(static_cast<std::uint64_t>(text.size()));
    for (const char c : text) add(static_cast<std::uint64_t>(static_cast<unsigned char>(c)));
  }
  template <class T>
  void add_all(std::span<const T> values) {
    for (const T value : values) {
      if constexpr (std::is_floating_point_v<T>)
        add(static_cast<double>(value));
      else
        add(static_cast<std::uint64_t>(value));
    }
  }
  [[nodiscard]] std::uint64_t value() const { return hash_; }

 private:
  std::uint64_t hash_ = 0xcbf29ce484222325ULL;
};

// Over indices, values and weights.
[[nodiscard]] std::uint64_t checksum(const ObservedTensor& tensor);

}  // namespace lacuna
