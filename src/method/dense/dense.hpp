// SPDX-License-Identifier: MIT
// What the methods that hold every cell of the tensor share.
#pragma once

#include <cmath>
#include <functional>

#include "linalg/unfold.hpp"
#include "method/solve.hpp"

namespace lacuna {

[[nodiscard]] Shape shape_of(const ObservedTensor& tensor);

// Where observed entry e lies in the dense array.
[[nodiscard]] std::vector<std::size_t> observed_cells(const ObservedTensor& tensor);

// The root of the sum of the squared values; 1 when that is 0, so that it may divide.
[[nodiscard]] double data_norm(const ObservedTensor& tensor);

// Ends a step of which the summary has iteration and objective: notes how far it moved, relative to the size
// of where it is, and reports. False when it was the last one; the summary says why.
[[nodiscard]] bool end_step(double moved, double size, const Measured& measured, const Settings& options,
                            FitRun& run, const FitRun::AddTest& add_test, Summary& summary);

// One term of an objective: puts argmin_z tau f(z) + 1/2 ||z - x||^2 in the place of x and returns its f.
using Prox = std::function<double(std::span<double> x, double tau)>;

// f(x) = weight ||X_(k)||_*, the largest `unshrunk` singular values not counted
[[nodiscard]] Prox trace_norm_of_unfolding(const Shape& shape, int mode, double weight,
                                           Eigen::Index unshrunk = 0);

// The cells as they were at the step of lowest test error, where that is asked for: Settings::keep_best.
class BestStep {
 public:
  BestStep(const Settings& options, const FitRun& run) : keep_(options.search.keep_best), run_(&run) {}
  // After a step was reported.
  void note(const std::vector<double>& value) {
    if (keep_ && run_->at_the_best()) value_ = value;
  }
  void put_back(std::vector<double>& value) {
    if (!value_.empty()) value = std::move(value_);
  }
  template <class A>
  void fields(A& archive) {
    archive("value", value_);
  }
  // Whether it has as many cells as there are, if it has any.
  [[nodiscard]] bool fits(std::size_t cells) const { return value_.empty() || value_.size() == cells; }

 private:
  bool keep_;
  const FitRun* run_;
  std::vector<double> value_;
};

// min sum_k f_k(X) subject to X_e = Y_e on the observed entries, by ADMM (Douglas-Rachford in the product
// space) on copies M_k = X with multipliers, T_k = rho U_k. rho = 1 / (step * data_norm()) makes the
// thresholds relative to the data:
//
//   M_k   = prox of f_k / rho at X + U_k
//   X     = mean over k of M_k - U_k where nothing is observed, Y elsewhere
//   U_k   = U_k - (M_k - X),   rho = growth * rho
//
// Stops when X changed and the copies differ from it by less than the tolerance, relative to X. The objective
// it reports is sum_k f_k(M_k), which rises and falls on its way; `relative_gradient` is what the tolerance
// is compared with.
struct ExactAdmm {
  std::vector<Prox> terms{};
  double step = 1.0;
  double growth = 1.0;
};
[[nodiscard]] Solved complete_exactly(const ObservedTensor& tensor, const Settings& options, FitRun& run,
                                      const ExactAdmm& admm);

}  // namespace lacuna
