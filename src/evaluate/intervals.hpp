// SPDX-License-Identifier: MIT
// Coverage and width of prediction intervals on test values.
#pragma once

#include <lacuna/model/model.hpp>
#include <span>

namespace lacuna {

struct Coverage {
  double share = 0.0;  // of the values that lie in their interval
  double width = 0.0;  // mean
};

// Of intervals of this probability around the predictions, for cells of this support.
[[nodiscard]] Coverage coverage(const Calibration& calibration, std::span<const double> truth,
                                std::span<const double> predicted, std::span<const Count> support,
                                double level);

}  // namespace lacuna
