// SPDX-License-Identifier: MIT
// What a model is made of beside its factors: main effects, and the grammar of parts and offsets.
#pragma once

#include <cstdint>
#include <lacuna/base/base.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

// What is said of a cell before any interaction is looked at: a mean, plus an effect of its position along
// chosen modes (this user rates high) and along chosen pairs of modes (this item in this week).

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

// The structure of a model: which latent parts and which offsets it has, and how people write them.
//
//   parts     full                            the paper's: each mode, all others agreeing
//             pairs                           each mode with one other agreeing, both ways round
//             user|item,week ; user|item      explicit; modes by name or number from 1; ';' between parts
//             user|item rank=20 lambda=0.5 rows=0.5 fibers=0.5
//                                             settings of one part: its rank, a factor on its lambda, powers
//                                             of the weighted norm
//             channel|row~8,column~8          modes with a length after '~' must be near, not equal
//             |row~8,column~8,channel         a part that learns nothing: a fixed kernel
//             channel|row~8,column~8 smooth=1.5
//                                             the smoothness of its kernel: 1, 1.5 or 2
//             channel|row~auto,column~auto smooth=auto
//                                             lengths and smoothness that a search is to choose
//             user|item side=0.5              how much of the kernel over the learned mode's positions comes
//                                             from their side information, 0 to 1
//   offsets   none, mean, modes               nothing; the mean; the mean and an effect of each mode
//             user,item,item*week             the mean and effects of these modes and pairs of modes

struct PartOptions {
  PartSpec spec{};
  int rank = 0;         // 0: what Settings::ranks says
  double lambda = 1.0;  // factor on this part's lambda, > 0
  // What is written `auto`: near modes whose length a search is to choose, and the smoothness. The spec has
  // what stands for it where nothing is searched: kOpenSpacings and 1.
  std::vector<int> open_lengths{};  // ascending
  bool open_smoothness = false;

  static constexpr double kOpenSpacings = 16.0;  // a length, in mean spacings of the mode's positions
  [[nodiscard]] bool open() const { return !open_lengths.empty() || open_smoothness; }

  bool operator==(const PartOptions&) const = default;
};

// Sentences of errors name the piece of text that is wrong.
[[nodiscard]] Result<std::vector<PartOptions>> parse_parts(std::string_view text,
                                                           const std::vector<Mode>& modes);
// "subject,object" or "1,2": ascending, each once.
[[nodiscard]] Result<std::vector<int>> parse_mode_list(std::string_view text, const std::vector<Mode>& modes);
[[nodiscard]] Result<OffsetSpec> parse_offsets(std::string_view text, const std::vector<Mode>& modes);

// What the parsers read, in the modes' names.
[[nodiscard]] std::string describe(const PartOptions& part, const std::vector<Mode>& modes);
[[nodiscard]] std::string describe(const std::vector<PartOptions>& parts, const std::vector<Mode>& modes);
[[nodiscard]] std::string describe(const OffsetSpec& offsets, const std::vector<Mode>& modes);

// Whether any part leaves a length or its smoothness to a search.
[[nodiscard]] bool any_open(const std::vector<PartOptions>& parts);
// The parts as they stand where nothing is searched: nothing in them is open.
[[nodiscard]] std::vector<PartOptions> closed(std::vector<PartOptions> parts);

[[nodiscard]] std::vector<PartOptions> full_structure(int order);
[[nodiscard]] std::vector<PartOptions> pair_structure(int order);

}  // namespace lacuna
