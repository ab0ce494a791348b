// SPDX-License-Identifier: MIT
// What TR-MM and TR-LS share: checked settings, starting points, the test cells' fibers.
#pragma once

#include "manifold/product.hpp"
#include "method/fit_run.hpp"
#include "model/body.hpp"
#include "problem/certificate.hpp"
#include "problem/factor_sums.hpp"
#include "problem/problem_data.hpp"

namespace lacuna {

// Options with every default filled in and everything checked against the tensor.
struct FitPlan {
  std::vector<PartOptions> parts;
  std::vector<int> ranks;
  std::vector<double> lambda;  // at the end of the path
  std::vector<double> path;    // factors on lambda, the last one 1

  [[nodiscard]] std::vector<PartSpec> specs() const;
};

// The rank of each part as the options say, capped with a notice.
[[nodiscard]] std::vector<int> plan_ranks(const ObservedTensor& tensor, const std::vector<PartOptions>& parts,
                                          const Settings& options, const FitRun& run);

[[nodiscard]] FitPlan make_plan(Layouts& layouts, const Settings& options, const FitRun& run);

// Says, to one who asked for more, which parts have their entries where, and what an application sends; at the end,
// what it did send.
void tell_layouts(const PartSet& parts, std::span<const int> ranks, const FitRun& run);
template <class Real>
void tell_traffic(const PartSet& parts, std::span<const int> ranks, const FitRun& run, const SentSums& sums);

// Reports steps of the latent methods: finds the test cells' fibers once, predicts them at every step.
class LatentReport {
 public:
  LatentReport(FitRun& run, const PartSet& parts, std::span<const int> ranks);

  // z and lambda are those of the point u.
  template <class Real>
  Flow step(const IterationRecord& record, const Measured& measured, const std::vector<Matrix<Real>>& u,
            std::span<const double> lambda, std::span<const Real> z) const;

 private:
  FitRun* run_;
  const PartSet* parts_;
  std::optional<CellPlan> test_plan_;
};

// The factors to start from: another model's where it fits, else random or spectral.
template <class Real>
[[nodiscard]] std::vector<Matrix<Real>> starting_factors(const ProblemData<Real>& data, const FitPlan& plan,
                                                         const Settings& options);

// As large as those, of zeros: for a fit that goes on with others.
template <class Real>
[[nodiscard]] std::vector<Matrix<Real>> empty_factors(const ProblemData<Real>& data, const FitPlan& plan);

// The warm model's Z when it is about the same entries, on every process; else empty.
template <class Real>
[[nodiscard]] std::vector<Real> starting_dual(const Layouts& layouts, const Settings& options);

template <class Real>
[[nodiscard]] ProductManifold<Real> spectrahedra(const ProblemData<Real>& data,
                                                 const std::vector<int>& ranks);

// Each solves its problem along the path and leaves U and Z.
template <class Real>
struct Solution {
  std::vector<Matrix<Real>> u;
  std::vector<Real> z;
  std::vector<double> lambda;  // that U and Z belong to: where the path ended
  std::vector<double> mixture;
  std::optional<Certificate> certificate;
  Summary summary;

  void set_mixture(const ProblemData<Real>& data);
};
template <class Real>
[[nodiscard]] Solution<Real> solve_dual(const std::shared_ptr<Layouts>& layouts, const FitPlan& plan,
                                        const Settings& options, FitRun& run);
template <class Real>
[[nodiscard]] Solution<Real> solve_primal(const std::shared_ptr<Layouts>& layouts, const FitPlan& plan,
                                          const Settings& options, FitRun& run);

}  // namespace lacuna
