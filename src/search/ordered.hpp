// SPDX-License-Identifier: MIT
// Which modes have an order that says something: known of some, of the others measured.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "dist/communicator.hpp"
#include "tensor/positions.hpp"

namespace lacuna {

// How much two entries of a fiber along a mode differ, by how far they are apart: a variogram of each entry and
// those 1, 2, 4, ... entries before it.
struct Variogram {
  struct Bin {
    double pairs = 0.0;
    double distance = 0.0;  // mean, of positions
    double squared = 0.0;   // mean squared difference
  };
  std::vector<Bin>
      bins;  // by rising distance; some may be empty. The first has the typical distance of neighbours
  double strangers = 0.0;  // mean squared difference of any two entries of a fiber
  double freedom = 0.0;    // what that is known by: entries less fibers
};
// The sharers have some of the entries each.
[[nodiscard]] Variogram variogram(const ObservedTensor& portion, int mode, const Communicator& sharers);

// The pairs that are the least apart, as many as it takes to tell by. Nothing where there are too few.
[[nodiscard]] std::optional<Variogram::Bin> nearest_pairs(const Variogram& of);

// The length for which a + b (1 - exp(-distance / length)) follows the mean squared differences best, among powers of
// 4 times the first; nothing where they do not rise, or too little is known.
[[nodiscard]] std::optional<double> length_of(const Variogram& of, double first);

struct OrderedMode {
  int mode = 0;
  // Mean squared difference of neighbours; infinite where too little is observed to tell, or where they are no more
  // alike than strangers.
  double squared = std::numeric_limits<double>::infinity();
  double length = 0.0;  // to begin with

  [[nodiscard]] bool alike() const { return squared < std::numeric_limits<double>::infinity(); }
};
// Those known to have an order, such as times and the rows of a picture, and those whose neighbours are alike.
// Ascending by mode.
[[nodiscard]] std::vector<OrderedMode> ordered_modes(const ObservedTensor& tensor,
                                                     const Communicator& sharers);

// Those without positions whose labels are all numbers, and by these numbers neighbours are alike: hours, and not the
// numbers of users. Ascending. Labels keep a mode from being asked whether it is ordered, so whoever means positions has to
// say so.
[[nodiscard]] std::vector<int> ordered_by_number(const ObservedTensor& tensor, const Communicator& sharers);
// What to say of them; empty where there are none.
[[nodiscard]] std::string order_notice(const ObservedTensor& tensor, const Communicator& sharers);

}  // namespace lacuna
