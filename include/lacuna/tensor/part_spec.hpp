// SPDX-License-Identifier: MIT
// Which entries a latent part relates: the mode it learns, and what it asks of the others.
#pragma once

#include <vector>

namespace lacuna {

struct PartSpec {
  int mode = 0;            // k: the mode whose Theta is learned
  std::vector<int> agree;  // S: the modes whose indices must agree, ascending, without k
  // Powers of the observation counts in a weighted trace norm (part_kernels.hpp); 0 and 0: the paper's norm.
  double row_power = 0.0;
  double fiber_power = 0.0;

  bool operator==(const PartSpec&) const = default;
};

// The paper's K parts: S = all modes but k.
[[nodiscard]] std::vector<PartSpec> full_parts(int order);

// Throws std::invalid_argument unless the part is one of a tensor of this many modes.
void check_part(const PartSpec& part, int order);

}  // namespace lacuna
