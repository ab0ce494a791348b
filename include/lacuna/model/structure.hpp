// SPDX-License-Identifier: MIT
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
#pragma once

#include <lacuna/base/result.hpp>
#include <lacuna/model/offsets.hpp>
#include <lacuna/tensor/part_spec.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

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
