// SPDX-License-Identifier: MIT
// The kernel of one near mode at smoothness 1, kappa(x, y) = exp(-|x - y| / l), over fibers that lie one
// after the other, group by group and ascending in each. With a_i = exp(-(x_i - x_(i-1)) / l), 0 where a
// group begins,
//
//   forward   f_i = t_i + a_i f_(i-1)
//   backward  g_i = t_i + a_(i+1) g_(i+1)
//   kappa t   s_i = f_i + a_(i+1) g_(i+1)
//
// O(1) for each fiber and column, at any spacing. At a position x between fibers i and i + 1 of a group,
// kappa t is exp(-(x - x_i) / l) f_i + exp(-(x_(i+1) - x) / l) g_(i+1).
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <vector>

namespace lacuna {

class NearChain {
 public:
  NearChain() = default;
  // group_start[g]: the first fiber of group g; one more for the end.
  NearChain(std::vector<double> position, std::vector<Count> group_start, double length);

  [[nodiscard]] Count fibers() const { return static_cast<Count>(position_.size()); }
  [[nodiscard]] double position(Count fiber) const { return position_[fiber]; }
  [[nodiscard]] double length() const { return length_; }
  [[nodiscard]] Count group_begin(Count group) const { return group_start_[group]; }
  [[nodiscard]] Count group_end(Count group) const { return group_start_[group + 1]; }
  [[nodiscard]] Count group_of(Count fiber) const;
  // The last fiber of a group at or before x; group_begin() - 1 where there is none.
  [[nodiscard]] Count last_before(Count group, double x) const;

  // In place, of fibers x columns numbers.
  template <class Real>
  void smooth(Real* field, int columns) const;
  // field <- f; backward <- g
  template <class Real>
  void sweep(Real* field, Real* backward, int columns) const;

 private:
  template <class Body>
  void for_groups(Body&& body) const;

  std::vector<double> position_;
  std::vector<Count> group_start_;
  std::vector<double> decay_;  // a_i, and a 0 at the end
  double length_ = 1.0;
};

}  // namespace lacuna
