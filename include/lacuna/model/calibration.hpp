// SPDX-License-Identifier: MIT
// How far predictions were off on entries the model had not seen, and from that intervals that hold: split
// conformal prediction (Vovk, Gammerman, Shafer 2005), separately for groups of cells that are equally well
// supported.
#pragma once

#include <lacuna/tensor/entries.hpp>
#include <span>
#include <vector>

namespace lacuna {

struct Calibration {
  struct Group {
    Count support_from = 0;           // cells with at least this support, and less than the next group's
    std::vector<double> residuals{};  // |value - prediction| of held-out entries, ascending
  };
  std::vector<Group> groups{};  // by ascending support, the first from 0

  // Half the width of an interval that holds the value with this probability, for a cell of this support.
  // Infinite when there were too few held-out entries to say.
  [[nodiscard]] double half_width(Count support, double level) const;
};

// Groups of about equally many held-out entries each; where there are many, evenly spaced residuals of them
// are kept.
[[nodiscard]] Calibration calibrate(std::span<const double> residuals, std::span<const Count> support);

}  // namespace lacuna
