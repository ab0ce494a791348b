// SPDX-License-Identifier: MIT
// The vocabulary of partly observed K-way data: modes and lists of entries.
#pragma once

#include <cstdint>
#include <lacuna/tensor/cells.hpp>
#include <lacuna/tensor/side_information.hpp>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace lacuna {

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
  std::shared_ptr<const SideInformation> side{};  // what is known of the positions; null: nothing
};

[[nodiscard]] inline std::vector<Index> extents(const std::vector<Mode>& modes) {
  std::vector<Index> sizes;
  for (const Mode& mode : modes) sizes.push_back(mode.size);
  return sizes;
}

// Entries in no particular order: cells and their values. A NaN value is a cell whose value is missing. A weight
// says how much an entry counts: 2 is the entry twice, 0 is none at all.
struct Entries {
  Cells cells;
  std::vector<double> value;
  std::vector<double> weight{};  // empty: all 1
  // Where along mode k the entries lie, [k][e], when that may be between Mode::positions; empty, as is the list
  // of any mode: where their indices do.
  std::vector<std::vector<double>> coordinates{};

  [[nodiscard]] Count size() const { return static_cast<Count>(value.size()); }
  [[nodiscard]] int order() const { return cells.order(); }
};

}  // namespace lacuna
