// SPDX-License-Identifier: MIT
#include "evaluate/intervals.hpp"

#include <cmath>

namespace lacuna {

Coverage coverage(const Calibration& calibration, std::span<const double> truth,
                  std::span<const double> predicted, std::span<const Count> support, double level) {
  Coverage found;
  for (std::size_t e = 0; e < truth.size(); ++e) {
    const double half = calibration.half_width(support[e], level);
    found.share += std::abs(truth[e] - predicted[e]) <= half ? 1.0 : 0.0;
    found.width += 2.0 * half;
  }
  found.share /= static_cast<double>(truth.size());
  found.width /= static_cast<double>(truth.size());
  return found;
}

}  // namespace lacuna
