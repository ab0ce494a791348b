// SPDX-License-Identifier: MIT
// How far a model of problem D is at most from the best over all ranks: bounds on the optimum of the convex
// problem that D without its rank limit is (docs/math.md).
#pragma once

#include <cstddef>
#include <vector>

namespace lacuna {

struct PartBound {
  double inside = 0.0;  // ||U_p' Z_p||_F^2
  double most = 0.0;    // sigma_p^2, the largest ||U_p' Z_p||_F^2 of any U_p
};

struct Certificate {
  double upper = 0.0;
  double lower = 0.0;
  std::vector<PartBound> parts;
  std::vector<double> lambda;

  // (upper - lower) / upper: 0 at the optimum of the convex problem, at most 1.
  [[nodiscard]] double gap() const { return upper > 0.0 ? (upper - lower) / upper : 0.0; }
  // The part's term of the gap before Z is scaled: lambda_p/2 (sigma_p^2 - ||U_p' Z_p||_F^2) / upper.
  [[nodiscard]] double share(std::size_t part) const {
    return upper > 0.0 ? 0.5 * lambda[part] * (parts[part].most - parts[part].inside) / upper : 0.0;
  }
};

}  // namespace lacuna
