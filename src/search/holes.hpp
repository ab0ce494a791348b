// SPDX-License-Identifier: MIT
// Held-out entries that look like the holes. Where whole fibers are missing together (all channels of a pixel,
// all hours of a day, a line of a band), single held-out entries would be predicted from the rest of their
// fiber, which the missing ones cannot be: the error would be far too optimistic, and the wrong settings win.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dist/communicator.hpp"
#include "tensor/hold_out.hpp"

namespace lacuna {

// Groups of cells that are missing together: all cells that agree in `fixed`, which are fibers along the other
// modes. No fixed mode is left out: single cells.
struct HoleKind {
  std::vector<int> fixed;  // ascending
  double share = 0.0;      // of the missing cells
  bool clustered = false;  // holes have neighbours along the fixed modes: blocks, scratches
};

// All of these are called by all processes that share the entries, `sharers`, each with those that it has; they come to
// the same on any number of them.

// The kinds that make up what is missing, largest groups first, shares adding up to 1.
[[nodiscard]] std::vector<HoleKind> hole_kinds(const ObservedTensor& tensor,
                                               const Communicator& sharers = serial_communicator());

// Whether so many cells are observed, of so few, that a bit for each of them says something of the holes.
[[nodiscard]] bool are_countable(const ObservedTensor& tensor, const Communicator& sharers);

// About `share` of the entries, in groups as the kinds have them, and `in_clusters` where holes are clusters, which are
// few and unlike each other; fewer of very many single ones. What is kept is this process's, what is held out is on all
// of them. Nothing when either side would be empty.
[[nodiscard]] std::optional<HoldOut> hold_out_like_holes(const ObservedTensor& tensor, double share,
                                                         std::uint64_t seed,
                                                         const Communicator& sharers = serial_communicator(),
                                                         double in_clusters = 0.0);

// Which fold holds each entry out: groups of the commonest kind, all folds equally often, dealt at random.
// Throws std::invalid_argument when there are fewer groups than folds.
[[nodiscard]] std::vector<int> fold_of_entries(const ObservedTensor& tensor, int folds, std::uint64_t seed,
                                               const Communicator& sharers = serial_communicator());
// Single entries that are held out, at the most: their error is then known to a thousandth of itself, and every process
// has all of them.
inline constexpr double kMostHeld = 2e6;

// What a fold holds out, of all processes, and what this one keeps. Of more than `most` about so many are judged, which a
// hash of the cell picks; the others are left out on both sides.
[[nodiscard]] HoldOut hold_out_fold(const ObservedTensor& tensor, const std::vector<int>& fold_of_entry,
                                    int fold, const Communicator& sharers, double most = kMostHeld);

// "all of interval (40 %), single cells (60 %)"
[[nodiscard]] std::string describe(const std::vector<HoleKind>& kinds, const std::vector<Mode>& modes);

}  // namespace lacuna
