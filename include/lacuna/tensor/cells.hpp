// SPDX-License-Identifier: MIT
// Lists of cells of a K-way tensor.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <span>
#include <vector>

namespace lacuna {

using Index = std::uint32_t;  // a position along one mode, 0-based
using Count = std::int64_t;   // how many of anything

// A position that no mode has. Every position at or beyond a mode's size is unseen by whoever knows the mode
// at that size; this one is beyond all sizes.
inline constexpr Index kUnseen = 0xffffffffU;

// Cells in no particular order, kept mode by mode: cells[k][i] is the position of cell i along mode k. Every mode
// lists equally many.
class Cells {
 public:
  Cells() = default;                                        // of a tensor without modes
  explicit Cells(int order);                                // none yet
  Cells(std::vector<std::vector<Index>> positions);         // NOLINT(google-explicit-constructor)
  Cells(std::initializer_list<std::vector<Index>> by_mode)  // as above
      : Cells(std::vector<std::vector<Index>>(by_mode)) {}
  // The constructors from lists, one for each mode, throw std::invalid_argument when they differ in length.

  [[nodiscard]] int order() const { return static_cast<int>(positions_.size()); }
  [[nodiscard]] Count size() const {
    return positions_.empty() ? 0 : static_cast<Count>(positions_.front().size());
  }
  [[nodiscard]] std::span<const Index> mode(int k) const { return positions_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] std::span<Index> mode(int k) { return positions_[static_cast<std::size_t>(k)]; }
  [[nodiscard]] std::span<const Index> operator[](std::size_t k) const { return positions_[k]; }
  [[nodiscard]] std::span<Index> operator[](std::size_t k) { return positions_[k]; }

  // One cell, one of another list, or all of another list, after the last. Throw std::invalid_argument on another
  // number of modes.
  void add(std::span<const Index> cell);
  void add(std::initializer_list<Index> cell) { add(std::span(cell.begin(), cell.size())); }
  void add(const Cells& from, Count cell);
  void append(const Cells& others);
  void reserve(Count cells);
  void keep_first(Count cells);
  // The same cells with the modes in another order: mode k is modes[k] of this list.
  [[nodiscard]] Cells reordered(std::span<const int> modes) const;
  // The list of each mode, for whoever goes on with them alone; none are left here.
  [[nodiscard]] std::vector<std::vector<Index>> take();

  bool operator==(const Cells&) const = default;

 private:
  std::vector<std::vector<Index>> positions_;  // [mode][cell]
};

}  // namespace lacuna
