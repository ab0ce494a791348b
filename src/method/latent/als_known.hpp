// SPDX-License-Identifier: MIT
// The prior that rows get from the side information of the mode they are positions of: a + C' phi_i is added to
// prior_i of als_part.hpp. C ~ N(0, 1 / gamma) has a mean and a covariance as everything else, a is a point:
//
//   C of column k ~ N(m, (lambda_k G + gamma_k)^-1),   G the Gram matrix of phi over the rows with entries
//
// gamma and lambda follow from what they are the precision of, so that they say by themselves how much side
// information tells. Rows without entries have no part in which entries a row has, either, which is in prior_i:
// they are what a second regression, of the rows as they are, says of them.
#pragma once

#include "method/latent/als_side.hpp"
#include "model/side_regression.hpp"

namespace lacuna {

class AlsKnown {
 public:
  // position[i]: of row i of the side's tables along the mode that `known` is about.
  AlsKnown(std::shared_ptr<const SideInformation> known, const AlsSide& side, std::vector<Index> position);

  // Both regressions, column by column; moves prior, deviation, spread and the rows without entries.
  void improve(AlsSide& side);

  // All that improve() changes here.
  template <class A>
  void fields(A& archive) {
    archive("columns", columns_);
  }

  // Of C from its prior, up to constants.
  [[nodiscard]] double divergence(const AlsSide& side) const;

 private:
  struct Column {
    SideRegression::Line line;
    double precision = 0.0;  // gamma
    double square = 0.0;     // expected |C|^2
    double log_variance = 0.0;
    // Of the rows as they are, for those without entries.
    SideRegression::Line whole;
    double explained = 0.0;  // variance of its slope
    double left = 0.0;       // and of what it does not explain

    template <class A>
    void fields(A& archive) {
      archive("constant", line.constant);
      archive("slope", line.slope);
      archive("precision", precision);
      archive("square", square);
      archive("log_variance", log_variance);
      archive("whole_constant", whole.constant);
      archive("whole_slope", whole.slope);
      archive("explained", explained);
      archive("left", left);
    }
  };
  void move_prior(AlsSide& side, int k);
  void fill_rows(AlsSide& side, int k);

  std::vector<Index> position_;
  std::vector<Index> row_;  // those with entries
  SideRegression regression_;
  std::vector<Column> columns_;
};

}  // namespace lacuna
