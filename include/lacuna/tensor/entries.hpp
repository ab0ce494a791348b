// SPDX-License-Identifier: MIT
// The vocabulary of partly observed K-way data: modes and lists of entries.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace lacuna {

using Index = std::uint32_t;  // a position along one mode, 0-based
using Count = std::int64_t;   // how many of anything

// A position that no mode has. Every position at or beyond a mode's size is unseen by whoever knows the mode
// at that size; this one is beyond all sizes.
inline constexpr Index kUnseen = 0xffffffffU;

// A mode made of time stamps: index = floor((stamp - origin) / width), both in seconds.
struct Binning {
  std::int64_t origin = 0;
  std::int64_t width = 1;
};

// One axis of the tensor.
struct Mode {
  std::string name;                   // "user", or "mode1" when the file has no names
  Index size = 0;                     // n_k
  std::vector<std::string> labels{};  // of the first positions; the others are plain numbers
  std::optional<Binning> binning{};   // set when positions are bins of time stamps
  std::vector<double> positions{};    // where along the mode each index lies; empty: at the index itself
  std::string unit{};                 // of the positions, for people: "nm"
};

[[nodiscard]] inline std::vector<Index> extents(const std::vector<Mode>& modes) {
  std::vector<Index> sizes;
  for (const Mode& mode : modes) sizes.push_back(mode.size);
  return sizes;
}

// Entries in no particular order: index[k][e] is entry e's position along mode k. A NaN value is a cell whose
// value is missing. A weight says how much an entry counts: 2 is the entry twice, 0 is none at all.
struct Entries {
  std::vector<std::vector<Index>> index;
  std::vector<double> value;
  std::vector<double> weight{};  // empty: all 1
  // Where along mode k the entries lie, [k][e], when that may be between Mode::positions; empty, as is the list
  // of any mode: where their indices do.
  std::vector<std::vector<double>> coordinates{};

  [[nodiscard]] Count size() const { return static_cast<Count>(value.size()); }
  [[nodiscard]] int order() const { return static_cast<int>(index.size()); }
};

}  // namespace lacuna
