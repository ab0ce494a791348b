// SPDX-License-Identifier: MIT
// Which entries a latent part relates: the mode it learns, and what it asks of the others. A mode that is
// neither learned nor asked to agree or to be near is ignored.
#pragma once

#include <vector>

namespace lacuna {

// A mode along which neighbours are alike.
struct NearMode {
  int mode = 0;
  double length = 1.0;  // > 0: how far they are, in units of the mode's positions

  bool operator==(const NearMode&) const = default;
};

struct PartSpec {
  static constexpr int kNothing = -1;

  int mode = 0;            // k: the mode whose Theta is learned; kNothing: Theta is a fixed 1 of size 1 x 1
  std::vector<int> agree;  // S: the modes whose indices must agree, ascending, without k
  // Powers of the observation counts in a weighted trace norm (part_kernels.hpp); 0 and 0: the paper's norm.
  double row_power = 0.0;
  double fiber_power = 0.0;
  // The modes whose indices must be near, ascending; none of them k or in S (near_kernel.hpp).
  std::vector<NearMode> near{};
  double smoothness = 1.0;  // p of their kernel: 1, 1.5 or 2
  // The share of Theta's kernel over the positions of k that comes from their side information, 0 to 1
  // (row_basis.hpp).
  double side = 0.0;

  [[nodiscard]] bool learns() const { return mode != kNothing; }
  // The modes that tell fibers apart: those that agree and those that are near, ascending.
  [[nodiscard]] std::vector<int> fiber_modes() const;

  bool operator==(const PartSpec&) const = default;
};

// The paper's K parts: S = all modes but k.
[[nodiscard]] std::vector<PartSpec> full_parts(int order);

// Throws std::invalid_argument unless the part is one of a tensor of this many modes.
void check_part(const PartSpec& part, int order);

}  // namespace lacuna
