// SPDX-License-Identifier: MIT
// The operator everything else is made of, at a point u = (U_p):
//
//   B(u) z = shift z / weight + sum_p lambda_p (z x_k U_p U_p')_Omega
//
// shift = 1/2 gives A(u) of problem D (docs/math.md), shift = 0 the model's prediction on Omega. The entries'
// weights are 1 unless given. It is a
// kernel matrix plus ridge: symmetric, positive semi-definite.
//
// Three routes, by the length of a fiber. Terms that involve one entry only (all of a single fiber, the
// diagonal of a short one) are merged over all parts into one vector `diagonal`. Short fibers multiply with
// their stored products lambda u_a . u_b. Long fibers go through t_c = U'z. Parts with near modes follow, by
// their NearKernel. set_point costs O(sum_p (n r +
// N)), an application O(N sum_p r_p) at most.
#pragma once

#include <lacuna/base/base.hpp>
#include <span>
#include <vector>

#include "kernels/part_kernels.hpp"

namespace lacuna {

// An operator applied rarely keeps no products of short fibers and no preconditioner.
enum class OperatorUse { kOften, kRarely };

template <class Real>
class DataOperator {
 public:
  // The parts and the weights must outlive the operator.
  explicit DataOperator(std::span<const PartKernels> parts, Count entries,
                        std::span<const double> weights = {}, OperatorUse use = OperatorUse::kOften);

  // Moves to u. `lambda` has one weight per part.
  void set_point(const std::vector<Matrix<Real>>& u, std::span<const double> lambda, double shift);
  // The same in steps, for operators whose sum is applied: all move, one adds the whole diagonals of the
  // others to what it has and inverts.
  void move_to(std::span<const Matrix<Real>* const> u, std::span<const double> lambda, double shift);
  [[nodiscard]] std::span<const float> whole_diagonal();
  [[nodiscard]] std::span<float> more_diagonal() { return inverse_diagonal_; }
  void invert_diagonal();

  // y = B(u) z
  void apply(std::span<const Real> z, std::span<Real> y) const;

  // 1 / diag(B(u)), in single precision: a preconditioner needs no more. Empty when applied rarely.
  [[nodiscard]] std::span<const float> inverse_diagonal() const { return inverse_diagonal_; }
  [[nodiscard]] const FactorTable<Real>& factor(int part) const { return factor_[part]; }

  // How often apply() ran: the unit of work that no clock noise touches.
  [[nodiscard]] Count applications() const { return applications_; }

 private:
  [[nodiscard]] bool stores(const kernels::FiberRange& piece) const;
  [[nodiscard]] int threads() const;
  void set_diagonals(std::span<const double> lambda, double shift);
  void set_pair_products(std::span<const double> lambda);

  std::span<const PartKernels> parts_;
  std::span<const double> weights_;
  OperatorUse use_;
  std::vector<double> lambda_;
  std::vector<FactorTable<Real>> factor_;
  std::vector<Real> diagonal_;           // what singles and short fibers put on the diagonal, plus the shift
  std::vector<float> inverse_diagonal_;  // of the whole operator
  // Per part: lambda u_a . u_b of the short fibers, all pairs, then all triples, ...; and where each piece
  // begins.
  std::vector<std::vector<Real>> pair_products_;
  std::vector<std::vector<Count>> piece_products_;
  mutable PartWorkspace<Real> work_;  // of the parts with near modes
  mutable Count applications_ = 0;
};

}  // namespace lacuna
