// SPDX-License-Identifier: MIT
#pragma once

#include <lacuna/tensor/tensor.hpp>

#include "base/parallel.hpp"

namespace lacuna {

// sum_e w_e values_e^2, by the weights of the tensor's entries.
[[nodiscard]] inline double weighted_square(const ObservedTensor& tensor, std::span<const double> values) {
  return parallel_sum(tensor.size(), [&](Count begin, Count end) {
    double sum = 0.0;
    for (Count e = begin; e < end; ++e) sum += tensor.weight(e) * values[e] * values[e];
    return sum;
  });
}

}  // namespace lacuna
