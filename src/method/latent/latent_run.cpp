// SPDX-License-Identifier: MIT
#include "method/latent/latent_run.hpp"

#include <algorithm>

#include "method/latent/factored_start.hpp"
#include "problem/initial_point.hpp"

namespace lacuna {
namespace {

const Latent* warm_parts(const Settings& options) {
  return options.warm_start == nullptr ? nullptr : options.warm_start->latent();
}

// Whether they learn the same mode and ask the same of the others, at whatever lengths, smoothness and
// share of side information.
bool relate_alike(const PartSpec& a, const PartSpec& b) {
  return a.mode == b.mode && a.agree == b.agree && a.row_power == b.row_power &&
         a.fiber_power == b.fiber_power && a.near.size() == b.near.size() &&
         std::equal(a.near.begin(), a.near.end(), b.near.begin(),
                    [](const NearMode& one, const NearMode& other) { return one.mode == other.mode; });
}

// The factor of a part in dual form is U; one in factored form has to be turned into it.
Matrix<double> dual_factor(const ModelPart& part) {
  return part.right ? factored_start(part.factor, *part.right) : part.factor;
}

}  // namespace

LatentReport::LatentReport(FitRun& run, const ObservedTensor& tensor, const std::vector<PartKernels>& parts)
    : run_(&run), parts_(&parts) {
  if (run.test() == nullptr) return;
  run.untimed([&] {
    std::vector<FiberLookup> lookups;
    for (const PartKernels& part : parts) lookups.emplace_back(tensor, part.view());
    test_plan_.emplace(parts, lookups, run.test()->cells, run.test()->coordinates);
    run.guess_silent(test_plan_->silent());
  });
}

template <class Real>
Flow LatentReport::step(const IterationRecord& record, const Measured& measured,
                        const std::vector<Matrix<Real>>& u, std::span<const double> lambda,
                        std::span<const Real> z) const {
  return run_->report(record, measured, [&](std::span<double> out) {
    for (std::size_t p = 0; p < parts_->size(); ++p) {
      const PartKernels& part = (*parts_)[p];
      test_plan_->add_part<Real>(part, p, part.table(u[p]), lambda[p], z, out);
    }
  });
}

template <class Real>
std::vector<Matrix<Real>> starting_factors(const ProblemData<Real>& data, const FitPlan& plan,
                                           const Settings& options) {
  const Latent* warm = warm_parts(options);
  const auto taken_over = [&](std::size_t p) {
    if (warm == nullptr || p >= warm->parts.size()) return false;
    const ModelPart& part = warm->parts[p];
    return relate_alike(part.modes, plan.parts[p].spec) &&
           part.factor.rows() == data.parts()[p].factor_rows() && part.factor.cols() == plan.ranks[p];
  };
  std::vector<Matrix<Real>> u(plan.ranks.size());
  bool whole = true;
  for (std::size_t p = 0; p < u.size(); ++p) whole = whole && taken_over(p);
  if (!whole) {
    Rng rng(options.seed);
    u = *options.start == Start::kSpectral ? spectral_start(data, plan.ranks, rng)
                                           : random_start(data, plan.ranks, rng);
  }
  for (std::size_t p = 0; p < u.size(); ++p)
    if (taken_over(p)) u[p] = dual_factor(warm->parts[p]).template cast<Real>();
  return u;
}

template <class Real>
std::vector<Matrix<Real>> empty_factors(const ProblemData<Real>& data, const FitPlan& plan) {
  std::vector<Matrix<Real>> u;
  for (std::size_t p = 0; p < plan.ranks.size(); ++p)
    u.emplace_back(Matrix<Real>::Zero(data.parts()[p].factor_rows(), plan.ranks[p]));
  return u;
}

template <class Real>
std::vector<Real> starting_dual(const ObservedTensor& tensor, const Settings& options) {
  const Latent* warm = warm_parts(options);
  if (warm == nullptr || warm->dual.cells() != tensor.cells()) return {};
  const std::span<const double> left = warm->dual.values();
  std::vector<Real> z(left.begin(), left.end());
  if (warm->factored())  // there it is what is left of the data: Z = 2 (Y - W)
    for (Real& value : z) value *= 2;
  return z;
}

template <class Real>
ProductManifold<Real> spectrahedra(const ProblemData<Real>& data, const std::vector<int>& ranks) {
  std::vector<typename ProductManifold<Real>::Factor> factors;
  for (std::size_t p = 0; p < ranks.size(); ++p)
    factors.push_back(Spectrahedron<Real>(data.parts()[p].factor_rows(), ranks[p]));
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
template Flow LatentReport::step(const IterationRecord&, const Measured&, const std::vector<Matrix<double>>&,
                                 std::span<const double>, std::span<const double>) const;
template Flow LatentReport::step(const IterationRecord&, const Measured&, const std::vector<Matrix<float>>&,
                                 std::span<const double>, std::span<const float>) const;
template std::vector<Matrix<double>> starting_factors(const ProblemData<double>&, const FitPlan&,
                                                      const Settings&);
template std::vector<Matrix<float>> starting_factors(const ProblemData<float>&, const FitPlan&,
                                                     const Settings&);
template std::vector<Matrix<double>> empty_factors(const ProblemData<double>&, const FitPlan&);
template std::vector<Matrix<float>> empty_factors(const ProblemData<float>&, const FitPlan&);
template std::vector<double> starting_dual(const ObservedTensor&, const Settings&);
template std::vector<float> starting_dual(const ObservedTensor&, const Settings&);
template ProductManifold<double> spectrahedra(const ProblemData<double>&, const std::vector<int>&);
template ProductManifold<float> spectrahedra(const ProblemData<float>&, const std::vector<int>&);

}  // namespace lacuna
