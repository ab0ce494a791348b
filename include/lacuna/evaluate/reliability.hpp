// SPDX-License-Identifier: MIT
// Whether probabilities keep what they promise: of the cells said to be 1 with probability p, is a share p of them 1?
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lacuna {

struct ReliabilityBin {
  double low = 0.0;        // predictions of at least this,
  double high = 0.0;       // and below this; the last bin has 1, too
  std::int64_t cells = 0;  // how many
  double predicted = 0.0;  // their mean
  double observed = 0.0;   // share of those whose value is 1
};

// So many bins of equal width between 0 and 1; predictions outside count as 0 or 1. Those of a bin without cells are
// 0. Throws std::invalid_argument without a bin, or on lists of different lengths.
[[nodiscard]] std::vector<ReliabilityBin> reliability(std::span<const double> truth,
                                                      std::span<const double> predicted, int bins = 10);

// The mean distance between both, each cell counted once: 0 for probabilities that keep what they promise.
[[nodiscard]] double calibration_error(std::span<const ReliabilityBin> bins);

}  // namespace lacuna
