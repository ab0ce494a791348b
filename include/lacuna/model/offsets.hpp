// SPDX-License-Identifier: MIT
// What is said of a cell before any interaction is looked at: a mean, plus an effect of its position along
// chosen modes (this user rates high) and along chosen pairs of modes (this item in this week).
#pragma once

#include <cstdint>
#include <lacuna/tensor/observed_tensor.hpp>
#include <span>
#include <vector>

namespace lacuna {

// One number for each observed position of one mode, or pair of positions of two modes.
struct Effect {
  std::vector<int> modes{};          // one or two, ascending
  double ridge = 0.0;                // observations that pull a value to 0: noise variance / effect variance
  std::vector<std::uint64_t> key{};  // ascending: the position, or first << 32 | second
  std::vector<double> value{};

  [[nodiscard]] std::uint64_t key_of(const Cells& cells, Count i) const {
    const std::uint64_t first = cells[modes[0]][i];
    return modes.size() == 1 ? first : first << 32 | cells[modes[1]][i];
  }
  // 0 for a position never observed.
  [[nodiscard]] double at(std::uint64_t wanted) const;
  // Whether it was observed.
  [[nodiscard]] bool knows(std::uint64_t wanted) const;
  // Where it is among the keys; their number when it is not.
  [[nodiscard]] std::size_t place(std::uint64_t wanted) const;
};

struct Offsets {
  double mean = 0.0;
  std::vector<Effect> effects{};

  [[nodiscard]] bool empty() const { return mean == 0.0 && effects.empty(); }
  // Of the mode alone; null when there is none.
  [[nodiscard]] const Effect* main_effect(int mode) const;
  // Takes the effect up; one of the same modes takes up its values.
  void add(Effect effect);
  // The offsets of a list of cells; the effect of a position beyond its mode is 0.
  [[nodiscard]] std::vector<double> at(const Cells& cells) const;
  // The tensor's values without them.
  [[nodiscard]] std::vector<double> taken_off(const ObservedTensor& tensor) const;
};

// Which offsets to fit; nothing: none.
struct OffsetSpec {
  bool mean = false;
  std::vector<std::vector<int>> effects{};  // mode sets of one or two modes; need `mean`

  bool operator==(const OffsetSpec&) const = default;
};

// What these offsets are made of.
[[nodiscard]] OffsetSpec spec_of(const Offsets& offsets);

// Ridge regression by sweeps over the effects. Each effect's ridge is the ratio of two variances that are
// estimated along the way (expectation-maximisation), so it has no unit and no parameter. O(N) a sweep. The
// effect of a mode with side information is drawn to a regression on it, not to 0, and positions without
// entries have what that says. It is done when the values change no more, or after so many sweeps.
// Throws std::invalid_argument on mode sets that do not fit the tensor.
[[nodiscard]] Offsets fit_offsets(const ObservedTensor& tensor, const OffsetSpec& spec, int sweeps = 40);

// The mean and an effect of every mode.
[[nodiscard]] OffsetSpec main_effects(int order);

}  // namespace lacuna
