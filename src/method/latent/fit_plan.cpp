// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "method/latent/latent_run.hpp"
#include "method/latent/part_scale.hpp"
#include "method/ranks.hpp"

namespace lacuna {
std::vector<int> plan_ranks(const ObservedTensor& tensor, const std::vector<PartOptions>& parts,
                            const Settings& options, const FitRun& run) {
  std::vector<int> ranks = ranks_of_parts(options, parts, tensor.order());
  for (std::size_t p = 0; p < ranks.size(); ++p) {
    if (parts[p].rank > 0) ranks[p] = parts[p].rank;
    const bool learns = parts[p].spec.learns();
    auto extent = static_cast<std::int64_t>(learns ? tensor.extent(parts[p].spec.mode) : 1);
    if (parts[p].spec.side == 1.0)  // no rows but those of its columns
      if (const auto& side = tensor.modes()[parts[p].spec.mode].side)
        extent = std::min(extent, side->columns());
    if (ranks[p] <= extent) continue;
    if (learns && (options.ranks.given() || parts[p].rank > 0))
      run.notice("rank " + std::to_string(ranks[p]) + " of part " + std::to_string(p + 1) +
                 " is capped at its mode's size " + std::to_string(extent));
    ranks[p] = static_cast<int>(extent);
  }
  return ranks;
}

namespace {

// Whether D is convex in what is learned, and its inner systems no harder at the end of a path than on the
// way: near parts only, each with all the rank its mode has.
bool needs_no_path(const ObservedTensor& tensor, const FitPlan& plan) {
  for (std::size_t p = 0; p < plan.parts.size(); ++p) {
    const PartSpec& spec = plan.parts[p].spec;
    if (spec.near.empty()) return false;
    if (spec.learns() && plan.ranks[p] < static_cast<std::int64_t>(tensor.extent(spec.mode))) return false;
  }
  return true;
}

// 1e-2, 1e-1, 1: a path that climbs to lambda in steps of ten.
std::vector<double> plan_path(const ObservedTensor& tensor, const FitPlan& plan, const Settings& options) {
  int steps = 0;
  if (options.latent.path.given()) {
    steps = *options.latent.path;
  } else if (options.warm_start == nullptr && options.latent.lambdas.open() && !needs_no_path(tensor, plan)) {
    double largest = 0.0;
    for (const PartOptions& part : plan.parts)
      largest = std::max(largest, options.lambda.value_or(Settings::kDefaultLambda) * part.lambda);
    steps = std::clamp(static_cast<int>(std::ceil(std::log10(largest / Settings::kPathStart) - 1e-9)), 0, 12);
  }
  std::vector<double> path;
  for (int s = steps; s >= 0; --s) path.push_back(std::pow(10.0, -s));
  return path;
}

}  // namespace

std::vector<PartSpec> FitPlan::specs() const {
  std::vector<PartSpec> list;
  for (const PartOptions& part : parts) list.push_back(part.spec);
  return list;
}

FitPlan make_plan(Layouts& layouts, const Settings& options, const FitRun& run) {
  const ObservedTensor& tensor = layouts.tensor();
  FitPlan plan;
  plan.parts = *options.latent.parts;
  for (const PartOptions& part : plan.parts) check_part(part.spec, tensor.order());
  (void)layouts.find(plan.specs());  // those of the parts first: what only counts fibers can use them
  plan.ranks = plan_ranks(tensor, plan.parts, options, run);
  const double lambda = options.lambda.value_or(Settings::kDefaultLambda);
  if (options.latent.lambdas.given())
    plan.lambda = *options.latent.lambdas;
  else
    for (const PartOptions& part : plan.parts)
      plan.lambda.push_back(lambda * part.lambda * part_scale(layouts, part.spec));
  plan.path = plan_path(tensor, plan, options);
  return plan;
}

}  // namespace lacuna
