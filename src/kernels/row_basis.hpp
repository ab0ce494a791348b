// SPDX-License-Identifier: MIT
// What stands between the factor U that the solver of a part with side information sees and the rows that
// entries select, B U:
//
//   share s of side information   B = [sqrt(1 - s) D, sqrt(s) Phi]    n x (n + q)
//   s = 1                         B = Phi                             n x q
//
// with D the weights of a weighted norm (part_kernels.hpp) and Phi the mode's rows phi_i. So Theta = B U U'
// B' over the positions, of prior B B' = (1 - s) D^2 + s Phi Phi': a position with many entries learns its
// own row of U, one with few or none has what the columns of Phi say. Counts do not weigh what is shared.
// Products cost O((n + nnz(Phi)) r); their bits do not depend on the number of threads.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <memory>
#include <vector>

#include "kernels/factor_table.hpp"

namespace lacuna {

class RowBasis {
 public:
  // own: D, empty where it is 1. 0 < share <= 1.
  RowBasis(std::shared_ptr<const SideInformation> side, double share, std::vector<double> own);

  [[nodiscard]] Count factor_rows() const { return own_rows_ + side_->columns(); }

  // table <- B u
  template <class Real>
  void expand(const Matrix<Real>& u, FactorTable<Real>& table) const;
  // out += B' rows
  template <class Real>
  void add_transposed(const Matrix<Real>& rows, Matrix<Real>& out) const;

 private:
  std::shared_ptr<const SideInformation> side_;
  Count own_rows_ = 0;       // the positions, or none at share 1
  std::vector<double> own_;  // sqrt(1 - s) D
  double root_share_ = 0.0;
  // Phi by columns.
  std::vector<Count> start_;
  std::vector<Index> position_;
  std::vector<double> value_;
};

}  // namespace lacuna
