// SPDX-License-Identifier: MIT
#include "method/latent/latent_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dist/sum_traffic.hpp"
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

// Of all factors together.
Count factor_numbers(const PartSet& parts, std::span<const int> ranks) {
  Count numbers = 0;
  for (std::size_t p = 0; p < parts.size(); ++p) numbers += Count{parts[p].factor_rows()} * ranks[p];
  return numbers;
}

}  // namespace

void tell_layouts(const PartSet& parts, std::span<const int> ranks, const FitRun& run) {
  const Layouts& layouts = parts.layouts();
  if (layouts.everyone().alone()) return;
  run.detail(fmt::format("{} processes share {} entries, at most {} on one", layouts.everyone().size(),
                         layouts.all_entries(), layouts[0].largest));
  for (std::size_t layout = 0; layout < layouts.size(); ++layout) {
    std::vector<std::string> names;
    for (const PartKernels& part : parts.in_layout(layout))
      names.push_back(describe(PartOptions{.spec = part.part()}, run.modes()));
    if (names.empty()) continue;
    const std::string where =
        layout == 0 ? std::string("has whole fibers on each process")
        : layouts[layout].mode == Cuts::kNoMode
            ? std::string("is applied on the first process alone")
            : fmt::format("is applied where entries are cut along {}, at most {} on one process",
                          run.modes()[static_cast<std::size_t>(layouts[layout].mode)].name,
                          layouts[layout].largest);
    std::string sent;
    if (layout > 0 && !parts.by_sums(layout, ranks))
      sent = fmt::format("; {} numbers go there and come back with every product", layouts[layout].crossing);
    else if (layout > 0)
      sent = "; products of the operator are made at home, with sums over fibers, which are fewer numbers";
    run.detail(fmt::format("{} {}{}", fmt::join(names, " ; "), where, sent));
  }
  const Count numbers = parts.numbers_per_application(ranks);
  run.detail(fmt::format(
      "an application of the operator sends {} numbers, {:.1f} for each entry: {} bytes in single precision, "
      "{} in double",
      numbers, static_cast<double>(numbers) / static_cast<double>(layouts.all_entries()),
      numbers * Count{sizeof(float)}, numbers * Count{sizeof(double)}));
  const Count factors = factor_numbers(parts, ranks);
  const int processes = layouts.everyone().size();
  run.detail(
      fmt::format("a gradient, and a product of the Hessian, sums {} numbers over the processes: {} bytes in "
                  "single precision, "
                  "{} in double",
                  factors, bytes_of_sum(factors, sizeof(float), processes),
                  bytes_of_sum(factors, sizeof(double), processes)));
}

template <class Real>
void tell_traffic(const PartSet& parts, std::span<const int> ranks, const FitRun& run, const SentSums& sums) {
  const Layouts& layouts = parts.layouts();
  const Communicator& everyone = layouts.everyone();
  if (everyone.alone()) return;
  const auto tell = [&](const char* precision, std::size_t number, const Layouts::Sent& sent) {
    const auto bytes = everyone.sum(static_cast<double>(sent.bytes));
    if (sent.applications > 0)
      run.detail(fmt::format("each of {} applications in {} precision sent {:.1f} bytes, predicted {}",
                             sent.applications, precision, bytes / static_cast<double>(sent.applications),
                             parts.numbers_per_application(ranks) * static_cast<Count>(number)));
  };
  tell("single", sizeof(float), layouts.sent<float>());
  tell("double", sizeof(double), layouts.sent<double>());
  const auto bytes = everyone.sum(static_cast<double>(sums.bytes));
  if (sums.calls > 0)
    run.detail(fmt::format("each of {} sums of the factors' derivatives sent {:.1f} bytes, predicted {}",
                           sums.calls, bytes / static_cast<double>(sums.calls),
                           bytes_of_sum(factor_numbers(parts, ranks), sizeof(Real), everyone.size())));
  run.detail(fmt::format("all sums and agreements sent {} bytes", everyone.sum(everyone.sums().bytes)));
}

// Every process has all test cells, and speaks of those whose fibers it has.
LatentReport::LatentReport(FitRun& run, const PartSet& parts, std::span<const int> ranks)
    : run_(&run), parts_(&parts) {
  tell_layouts(parts, ranks, run);
  if (run.test() == nullptr) return;
  run.untimed([&] {
    std::vector<FiberLookup> lookups;
    for (std::size_t layout = 0; layout < parts.layouts().size(); ++layout)
      for (const PartKernels& part : parts.in_layout(layout)) {
        lookups.emplace_back(*parts.layouts()[layout].tensor, part.view());
        std::vector<bool> known = lookups.back().known_rows();
        run.everyone().any(known);
        lookups.back().set_known_rows(std::move(known));
      }
    test_plan_.emplace(parts.all(), lookups, run.test()->cells, run.test()->coordinates);
    std::vector<bool> spoken_of = test_plan_->silent();
    spoken_of.flip();
    run.everyone().any(spoken_of);
    spoken_of.flip();
    run.guess_silent(spoken_of);
  });
}

template <class Real>
Flow LatentReport::step(const IterationRecord& record, const Measured& measured,
                        const std::vector<Matrix<Real>>& u, std::span<const double> lambda,
                        std::span<const Real> z) const {
  return run_->report(record, measured, [&](std::span<double> out) {
    const Communicator& everyone = run_->everyone();
    PartVector<Real> there(*parts_);
    there.send(z);
    std::vector<double> mine(everyone.alone() ? 0 : out.size(), 0.0);
    for (std::size_t p = 0; p < parts_->size(); ++p) {
      const PartKernels& part = (*parts_)[p];
      test_plan_->add_part<Real>(part, parts_->place(p), part.table(u[p]), lambda[p], there[p],
                                 everyone.alone() ? out : std::span<double>(mine));
    }
    everyone.sum(mine);
    for (std::size_t i = 0; i < mine.size(); ++i) out[i] += mine[i];
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
  for (Matrix<Real>& factor : u) data.everyone().as_first(flat(factor));
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
std::vector<Real> starting_dual(const Layouts& layouts, const Settings& options) {
  const Latent* warm = warm_parts(options);
  if (warm == nullptr) return {};
  if (!layouts.everyone().all(warm->dual.cells() == layouts.tensor().cells())) return {};
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
  return ProductManifold<Real>(std::move(factors), data.everyone());
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
  PartVector<double> there(data.parts());
  there.send(dual);
  for (std::size_t p = 0; p < u.size(); ++p) {
    const PartKernels& part = data.parts()[p];
    double norm = observed_norm(there[p], part, part.table(Matrix<double>(u[p].template cast<double>())),
                                data.lambda()[p]);
    if (!data.everyone().alone()) norm = std::sqrt(data.everyone().sum(norm * norm));
    mixture.push_back(norm);
  }
  mixture = shares(std::move(mixture));
}

template void tell_traffic<double>(const PartSet&, std::span<const int>, const FitRun&, const SentSums&);
template void tell_traffic<float>(const PartSet&, std::span<const int>, const FitRun&, const SentSums&);
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
template std::vector<double> starting_dual(const Layouts&, const Settings&);
template std::vector<float> starting_dual(const Layouts&, const Settings&);
template ProductManifold<double> spectrahedra(const ProblemData<double>&, const std::vector<int>&);
template ProductManifold<float> spectrahedra(const ProblemData<float>&, const std::vector<int>&);

}  // namespace lacuna
