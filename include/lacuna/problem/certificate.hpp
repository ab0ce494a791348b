// SPDX-License-Identifier: MIT
// How far a point of problem D is at most from the best over all ranks.
//
// D without its rank limit is a convex problem (docs/math.md). Any Z gives a lower bound on its optimum and
// any (u, Z) an upper one:
//
//   low(Z)    = max_t t <Z,Y> - t^2 (1/4 ||Z||^2 + sum_p lambda_p/2 sigma_p^2)
//             = <Z,Y>^2 / (||Z||^2 + 2 sum_p lambda_p sigma_p^2),       sigma_p = sigma_max(Z_p)
//   up(u, Z)  = ||Y - W_Omega||^2 + sum_p lambda_p/2 ||U_p' Z_p||_F^2,  W = sum_p lambda_p Z x_p U_p U_p'
//
// up is the primal value at W, never below the optimum whether Z is exact or not. Where a part's sigma_p^2 is
// above ||U_p' Z_p||_F^2 its rank is too small: the top singular vector is a direction of descent outside the
// columns of U_p.
// Entry weights divide ||Z||^2 and multiply the misfit; a weighted norm's D and B go into Z_p.
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
