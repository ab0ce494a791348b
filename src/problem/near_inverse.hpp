// SPDX-License-Identifier: MIT
// An approximate inverse of A(u) for parts whose near modes lie on a grid, where A is too ill-conditioned for
// a diagonal to precondition it. With R the diagonal that the ridge and all other parts put on A, B_p the
// matrix that reads field p at the entries (u_e at e's cell), and kappa_p = E_p' f_p E_p (near_grid.hpp),
//
//   (R + sum_p lambda_p B_p kappa_p B_p')^-1 b = R^-1 (b - sum_p B_p E_p' c_p)
//   f_p^-1 c_p / lambda_p + E_p B_p' R^-1 sum_q B_q E_q' c_q = E_p B_p' R^-1 b
//
// which is the Woodbury identity in the coordinates in which kappa is diagonal. The second system is solved
// by conjugate gradients, preconditioned by its diagonal with the mean over all cells in place of B_p' R^-1
// B_p: a step costs one transform there and one back, as much as A does. The columns of U_p are turned first
// so that the mean of B_p' R^-1 B_p is diagonal over them. Fields are in single precision where that
// resolves what is asked for: errors in long waves come back lambda f times as large.
#pragma once

#include <lacuna/base/base.hpp>
#include <span>
#include <vector>

#include "kernels/near_kernel.hpp"
#include "kernels/part_set.hpp"

namespace lacuna {

// Whether any of the parts lies on a grid, so that a NearInverse is of use.
[[nodiscard]] bool has_grids(const PartSet& parts);
// Whether single precision resolves the fields of its grids at these lambdas.
[[nodiscard]] bool grids_are_tame(const PartSet& parts, std::span<const double> lambda);

template <class Field>
class NearInverse {
 public:
  // The parts must outlive this.
  explicit NearInverse(const PartSet& parts);

  // Whether all parts lie on a grid: then the inverse is exact up to its tolerance.
  [[nodiscard]] bool exact() const { return blocks_.size() == parts_->size(); }

  // inverse_diagonal: 1 / diag A; ridge(e): what A has there without any part.
  template <class Real, class Ridge>
  void set_point(const std::vector<Matrix<Real>>& u, std::span<const double> lambda,
                 std::span<const float> inverse_diagonal, Ridge&& ridge) {
    inverse_ridge_.resize(inverse_diagonal.size());
    for (std::size_t e = 0; e < inverse_ridge_.size(); ++e)
      inverse_ridge_[e] = static_cast<Field>(ridge(static_cast<Count>(e)));
    std::vector<Matrix<Field>> converted;
    for (const Matrix<Real>& factor : u) converted.emplace_back(factor.template cast<Field>());
    move_to(converted, lambda, inverse_diagonal);
  }

  // x ~ the inverse times b, until the length of the first system's residual is about `goal`; returns how
  // many steps that took.
  template <class Real>
  int apply(std::span<const Real> b, double goal, int most, const Interrupted& interrupted,
            std::span<Real> x);

  [[nodiscard]] Count applications() const { return applications_; }

 private:
  struct Block {
    std::size_t part = 0;
    const NearKernel* near = nullptr;
    FactorTable<Field> factor;      // turned
    std::vector<Field> precision;   // 1 / (lambda f)
    std::vector<Field> observed;    // squared lengths of the rows of E
    std::vector<double> mean;       // of B' R^-1 B, for each column
    double share = 1.0;             // of that mean in the preconditioner
    double slots = 0.0;             // of all processes
    std::vector<Field> c, r, p, q;  // fields
  };

  void move_to(const std::vector<Matrix<Field>>& u, std::span<const double> lambda,
               std::span<const float> inverse_diagonal);
  void turn(Block& block, const Matrix<Field>& u);
  [[nodiscard]] double scaled_square() const;  // <r, M^-1 r>
  [[nodiscard]] double outer_square() const;
  void next_direction(double beta);  // p <- M^-1 r + beta p
  [[nodiscard]] double multiply();   // q <- the matrix times p; returns <p, q>

  const PartSet* parts_;
  std::vector<Block> blocks_;
  std::vector<Field> inverse_ridge_;
  std::vector<Field> values_;  // at the entries
  PartVector<Field> there_;    // the same where the parts are
  GridWorkspace<Field> work_;
  Count applications_ = 0;
};

}  // namespace lacuna
