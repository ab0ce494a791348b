// SPDX-License-Identifier: MIT
#include "method/fit_run.hpp"

#include <algorithm>
#include <cmath>
#include <lacuna/evaluate/metrics.hpp>
#include <lacuna/problem/initial_point.hpp>

namespace lacuna {

FitRun::FitRun(const FitOptions& options, const FitCallbacks& callbacks, const Entries* test,
               const Offsets& offsets, std::optional<Range> clip)
    : options_(&options), callbacks_(&callbacks), test_(test), clip_(clip) {
  if (test_ == nullptr || test_->size() == 0) return;
  watch_.pause();
  test_offset_ = offsets.at(test_->index);
  watch_.resume();
}

void FitRun::prepare_test(const ObservedTensor& tensor, const std::vector<PartKernels>& parts) {
  if (test_ == nullptr || test_->size() == 0) return;
  watch_.pause();
  std::vector<FiberLookup> lookups;
  for (const PartKernels& part : parts) lookups.emplace_back(tensor, part.view());
  test_plan_.emplace(parts, lookups, test_->index);
  watch_.resume();
}

bool FitRun::stop_now() {
  if (interrupted()) stop_ = Stop::kUser;
  if (options_->max_time > 0.0 && watch_.seconds() >= options_->max_time) stop_ = Stop::kTime;
  return stopped();
}

template <class Real>
Flow FitRun::report(const IterationRecord& record, Count applications, double train_rmse,
                    const std::vector<PartKernels>& parts, const std::vector<Matrix<Real>>& u,
                    std::span<const double> lambda, std::span<const Real> z) {
  watch_.pause();
  progress_.iteration = first_iteration_ + record.iteration;
  progress_.seconds = watch_.seconds();
  progress_.objective = record.objective;
  progress_.gradient_norm = record.gradient_norm;
  progress_.relative_gradient = record.relative_gradient;
  progress_.train_rmse = train_rmse;
  progress_.radius = record.radius;
  progress_.ratio = record.ratio;
  progress_.inner_iterations = record.inner_iterations;
  progress_.accepted = record.accepted;
  progress_.operator_applications = applications;
  if (test_plan_ && (record.accepted || !progress_.test_rmse)) {
    std::vector<double> predicted = test_offset_;
    for (std::size_t p = 0; p < parts.size(); ++p)
      test_plan_->add_part<Real>(parts[p], p, parts[p].table(u[p]), lambda[p], z, predicted);
    if (clip_)
      for (double& value : predicted) value = std::clamp(value, clip_->low, clip_->high);
    progress_.test_rmse = rmse(test_->value, predicted);
    progress_.test_auc = auc(test_->value, predicted);
  }
  const Flow flow = callbacks_->progress ? callbacks_->progress(progress_) : Flow::kContinue;
  if (flow == Flow::kStop && stop_ == Stop::kNone) stop_ = Stop::kUser;
  watch_.resume();
  return stop_now() ? Flow::kStop : flow;
}

void FitRun::finish(const Summary& summary, FitResult& result) const {
  result.last = progress_;
  result.reason = summary.reason;
  result.converged = converged(summary.reason);
  result.stop_reason = stop_ == Stop::kTime   ? "time limit reached"
                       : stop_ == Stop::kUser ? "interrupted"
                                              : std::string(describe(summary.reason));
  result.seconds = watch_.seconds();
}

template <class Real>
std::vector<Matrix<Real>> starting_factors(const ProblemData<Real>& data, const FitPlan& plan,
                                           const FitOptions& options) {
  Rng rng(options.seed);
  std::vector<Matrix<Real>> u = options.start == Start::kSpectral ? spectral_start(data, plan.ranks, rng)
                                                                  : random_start(data, plan.ranks, rng);
  if (options.warm_start == nullptr) return u;
  for (std::size_t p = 0; p < u.size() && p < options.warm_start->parts.size(); ++p) {
    const ModelPart& part = options.warm_start->parts[p];
    if (part.modes == plan.parts[p].spec && part.factor.rows() == u[p].rows() &&
        part.factor.cols() == u[p].cols())
      u[p] = part.factor.template cast<Real>();
  }
  return u;
}

template <class Real>
std::vector<Real> starting_dual(const ObservedTensor& tensor, const FitOptions& options) {
  if (options.warm_start == nullptr || options.warm_start->dual.indices() != tensor.indices()) return {};
  const std::span<const double> z = options.warm_start->dual.values();
  return {z.begin(), z.end()};
}

template <class Real>
ProductManifold<Real> spectrahedra(const ProblemData<Real>& data, const std::vector<int>& ranks) {
  std::vector<typename ProductManifold<Real>::Factor> factors;
  for (std::size_t p = 0; p < ranks.size(); ++p)
    factors.push_back(Spectrahedron<Real>(data.parts()[p].rows(), ranks[p]));
  return ProductManifold<Real>(std::move(factors));
}

template <class Real>
void Solution<Real>::set_mixture(const ProblemData<Real>& data) {
  std::vector<double> converted;
  std::span<const double> dual;
  if constexpr (std::is_same_v<Real, double>) {
    dual = z;
  } else {
    converted.assign(z.begin(), z.end());
    dual = converted;
  }
  for (std::size_t p = 0; p < u.size(); ++p) {
    const PartKernels& part = data.parts()[p];
    mixture.push_back(observed_norm(dual, part, part.table(Matrix<double>(u[p].template cast<double>())),
                                    data.lambda()[p]));
  }
  mixture = shares(std::move(mixture));
}

template struct Solution<double>;
template struct Solution<float>;
template Flow FitRun::report(const IterationRecord&, Count, double, const std::vector<PartKernels>&,
                             const std::vector<Matrix<double>>&, std::span<const double>,
                             std::span<const double>);
template Flow FitRun::report(const IterationRecord&, Count, double, const std::vector<PartKernels>&,
                             const std::vector<Matrix<float>>&, std::span<const double>,
                             std::span<const float>);
template std::vector<Matrix<double>> starting_factors(const ProblemData<double>&, const FitPlan&,
                                                      const FitOptions&);
template std::vector<Matrix<float>> starting_factors(const ProblemData<float>&, const FitPlan&,
                                                     const FitOptions&);
template std::vector<double> starting_dual(const ObservedTensor&, const FitOptions&);
template std::vector<float> starting_dual(const ObservedTensor&, const FitOptions&);
template ProductManifold<double> spectrahedra(const ProblemData<double>&, const std::vector<int>&);
template ProductManifold<float> spectrahedra(const ProblemData<float>&, const std::vector<int>&);

}  // namespace lacuna
