// SPDX-License-Identifier: MIT
// The positions of a mode along which fibers are near, ascending.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <vector>

namespace lacuna {

struct NearAxis {
  int mode = 0;
  double length = 1.0;
  std::vector<double> position;  // ascending, each once
  std::vector<Index> place;      // of each index of the mode among them
  double spacing = 0.0;          // of regular positions; 0: irregular

  // The last place whose position is at most x, or -1, and the share of the way to the next one.
  struct Between {
    Count place = -1;
    double share = 0.0;
  };
  [[nodiscard]] Between locate(double x) const;
};

// Throws std::invalid_argument where the mode's positions are not one finite number for each index, all
// different.
[[nodiscard]] NearAxis make_axis(const Mode& mode, const NearMode& near);

}  // namespace lacuna
