// SPDX-License-Identifier: MIT
#include "search/tune_memory.hpp"

#include <algorithm>
#include <lacuna/base/base.hpp>

#include "base/machine.hpp"

namespace lacuna {

double largest_fit(Count entries, const std::vector<Mode>& modes,
                   const std::vector<TuneCandidate>& candidates) {
  double bytes = 0.0;
  for (const TuneCandidate& one : candidates)
    bytes =
        std::max(bytes, info(one.options.method.value_or(Method::kTrMm)).bytes(entries, modes, one.options));
  return bytes;
}

int fits_side_by_side(double bytes, int folds) {
  int count = 1;
  while (count < std::min(thread_count(), folds) && check_memory(bytes * (count + 1), "folds")) ++count;
  return count;
}

}  // namespace lacuna
