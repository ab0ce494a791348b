// SPDX-License-Identifier: MIT
// The prior that rows get from the side information of the mode they are positions of: phi_i' C is added to
// prior_i of als_part.hpp, C ~ N(0, 1 / kappa) a point for each column. So precision, which follows from what
// is left, says by itself how much side information tells. Rows without entries are what it says of them.
#pragma once

#include "method/latent/als_side.hpp"
#include "model/side_regression.hpp"

namespace lacuna {

// kappa, in units of the data's deviation, as that of als_shared.hpp.
inline constexpr double kKnownPrecision = 20.0;

class AlsKnown {
 public:
  // position[i]: of row i of the side's tables along the mode that `known` is about.
  AlsKnown(std::shared_ptr<const SideInformation> known, const AlsSide& side, std::vector<Index> position);

  // The regression of the rows on what is known, column by column; moves prior, deviation and the rows without
  // entries.
  void improve(AlsSide& side);

  // sum of C^2
  [[nodiscard]] double square() const { return square_; }

 private:
  std::vector<Index> position_;
  std::vector<Index> row_;  // those with entries
  SideRegression regression_;
  std::vector<Eigen::VectorXd> coefficients_;  // of each column
  double square_ = 0.0;
};

}  // namespace lacuna
