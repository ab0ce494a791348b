// SPDX-License-Identifier: MIT
// The linear system inside problem D: A(u) x = b, solved until ||b - A x|| <= tolerance.
//
// In double precision by iterative refinement: the residual is taken in double, and conjugate gradients in
// single precision, which move half the memory, reduce it by some digits.
//
//   repeat  r = b - A x;  solve A d = r roughly, in single precision;  x += d
//
// A round gains what single precision resolves, about 1e-7 times the condition number of A. Where that is too
// little (a very large lambda) conjugate gradients in double go on from the x reached. In single precision
// there is nothing to refine. Reference: Higham 2002, chapter 12.
//
// Where a part's near modes lie on a grid A is too ill-conditioned for its diagonal as a preconditioner:
// flexible conjugate gradients with a NearInverse solve it instead, whose steps count as applications.
#pragma once

#include <lacuna/base/base.hpp>
#include <optional>

#include "kernels/part_operator.hpp"
#include "linalg/conjugate_gradients.hpp"
#include "linalg/flexible_cg.hpp"
#include "problem/near_inverse.hpp"
#include "problem/problem_data.hpp"

namespace lacuna {

template <class Real>
class InnerSystem {
 public:
  using Point = std::vector<Matrix<Real>>;
  // Whether solve() ends with an exact residual, which costs one more application, or at what the last round
  // itself makes of it.
  enum class Ending { kMeasured, kEstimated };

  InnerSystem(const ProblemData<Real>& data, double shift, int max_iterations, Interrupted interrupted);

  void set_point(const Point& u);
  // A residual that is close enough, whatever tolerance is asked for.
  void set_floor(double residual) { floor_ = residual; }

  // out = A in
  void apply(std::span<const Real> in, std::span<Real> out) { exact_.apply(in, out); }

  // From the x given, or from 0; true when it converged.
  bool solve(std::span<const Real> b, bool start_is_zero, double tolerance, Ending ending, std::span<Real> x);

  // b - A x after a measured solve. A right side may be put here to be solved for from 0.
  [[nodiscard]] std::vector<Real>& residual() {
    if constexpr (kRefines)
      return residual_;
    else
      return work_.residual;
  }
  // 1 / diag A, the preconditioner.
  [[nodiscard]] std::span<const float> inverse_diagonal() const {
    if (rough_) return rough_->inverse_diagonal();
    return exact_.inverse_diagonal();
  }
  [[nodiscard]] const FactorTable<Real>& factor(std::size_t part) const { return exact_.factor(part); }
  [[nodiscard]] Count applications() const {
    return exact_.applications() + (rough_ ? rough_->applications() : 0) +
           (near_ ? near_->applications() : 0) + (rough_near_ ? rough_near_->applications() : 0);
  }

 private:
  static constexpr bool kRefines = sizeof(Real) > sizeof(float);

  void take_residual(std::span<const Real> b, std::span<const Real> x);
  [[nodiscard]] double residual_norm() const;
  CgResult add_correction(double norm, double goal, int most, std::span<Real> x);
  bool solve_directly(std::span<const Real> b, bool start_is_zero, double tolerance, int most,
                      CgWorkspace<Real>& work, std::span<Real> x);

  // The near inverse is taken until the residual is about `close_enough`.
  bool solve_near(std::span<const Real> b, bool start_is_zero, double tolerance, double close_enough,
                  std::span<Real> x);

  const ProblemData<Real>* data_;
  double shift_;
  double floor_ = 0.0;
  int max_iterations_;
  Interrupted interrupted_;
  PartOperator<Real> exact_;
  std::optional<PartOperator<float>> rough_;      // when there is something to refine, and no grid
  std::optional<NearInverse<float>> rough_near_;  // where parts lie on grids that single precision resolves
  std::optional<NearInverse<double>> near_;       // where they lie on others
  std::vector<Real> residual_;                    // likewise
  std::vector<float> correction_;                 // likewise
  CgWorkspace<float> work_;
  FlexibleCgWorkspace<Real> near_work_;  // where parts lie on grids
  std::vector<Real> kept_;               // a right side that the residual is written over
};

}  // namespace lacuna
