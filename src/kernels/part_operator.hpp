// SPDX-License-Identifier: MIT
// DataOperator for the parts of a PartSet, which may lie in several layouts:
//
//   B(u) z = shift z / weight + sum_p lambda_p (z x_k U_p U_p')_Omega
//
// The sum over the parts of one layout is a DataOperator there. Those of other layouts get z, which is one
// number for each entry, and their sum comes back; or, where that is less to send, they are applied at home
// and exchange what they sum over fibers (fiber_shares.hpp). On one process this is a DataOperator and
// nothing else.
#pragma once

#include <span>
#include <vector>

#include "kernels/data_operator.hpp"
#include "kernels/part_set.hpp"

namespace lacuna {

template <class Real>
class PartOperator {
 public:
  // The parts and the weights, of the first layout's entries, must outlive the operator.
  explicit PartOperator(const PartSet& parts, std::span<const double> weights = {},
                        OperatorUse use = OperatorUse::kOften);

  // As DataOperator's; u, lambda and part are in the order of the set.
  void set_point(const std::vector<Matrix<Real>>& u, std::span<const double> lambda, double shift);
  void apply(std::span<const Real> z, std::span<Real> y) const;
  [[nodiscard]] std::span<const float> inverse_diagonal() const {
    return operators_.front().inverse_diagonal();
  }
  [[nodiscard]] const FactorTable<Real>& factor(std::size_t part) const {
    return operators_[parts_->layout_of(part)].factor(static_cast<int>(index_[part]));
  }
  [[nodiscard]] Count applications() const { return operators_.front().applications(); }

 private:
  const PartSet* parts_;
  OperatorUse use_;
  std::vector<DataOperator<Real>> operators_;       // of each layout
  std::vector<std::size_t> index_;                  // of each part in its layout
  std::vector<std::vector<std::size_t>> parts_of_;  // of each layout
  std::vector<double> lambda_;                      // of each part
  std::vector<bool> by_sums_;                       // of each layout: its parts send sums over fibers
  mutable std::vector<std::vector<Real>> z_;        // at each layout but the first
  mutable std::vector<std::vector<Real>> y_;        // likewise
};

}  // namespace lacuna
