// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "method/fit_run.hpp"

namespace lacuna {
namespace {

std::vector<int> plan_ranks(const ObservedTensor& tensor, const std::vector<PartModes>& parts,
                            const FitOptions& options, const FitCallbacks& callbacks) {
  std::vector<int> ranks = options.ranks;
  if (ranks.empty()) ranks.push_back(FitOptions::kDefaultRank);
  const bool chosen = !options.ranks.empty();
  if (ranks.size() == 1) ranks.assign(parts.size(), ranks[0]);
  if (ranks.size() != parts.size())
    throw std::invalid_argument("got " + std::to_string(ranks.size()) + " ranks for " +
                                std::to_string(parts.size()) + " parts; give one, or one for each");
  for (std::size_t p = 0; p < ranks.size(); ++p) {
    if (ranks[p] < 1)
      throw std::invalid_argument("a rank must be at least 1, got " + std::to_string(ranks[p]));
    const auto extent = static_cast<std::int64_t>(tensor.extent(parts[p].mode));
    if (ranks[p] <= extent) continue;
    if (chosen && callbacks.notice)
      callbacks.notice("rank " + std::to_string(ranks[p]) + " of part " + std::to_string(p + 1) +
                       " is capped at its mode's size " + std::to_string(extent));
    ranks[p] = static_cast<int>(extent);
  }
  return ranks;
}

// 1e-2, 1e-1, 1: a path that climbs to lambda in steps of ten.
std::vector<double> plan_path(const FitOptions& options) {
  int steps = options.path;
  if (steps < 0) {
    const double above = options.lambdas.empty() ? options.lambda / FitOptions::kPathStart : 1.0;
    steps = std::clamp(static_cast<int>(std::ceil(std::log10(above) - 1e-9)), 0, 12);
    if (options.warm_start != nullptr) steps = 0;
  }
  std::vector<double> path;
  for (int s = steps; s >= 0; --s) path.push_back(std::pow(10.0, -s));
  return path;
}

}  // namespace

FitPlan make_plan(const ObservedTensor& tensor, const FitOptions& options, const FitCallbacks& callbacks) {
  if (!(options.lambda > 0.0) || !std::isfinite(options.lambda))
    throw std::invalid_argument("lambda must be a positive number, got " + std::to_string(options.lambda));
  if (options.max_iterations < 0) throw std::invalid_argument("max_iterations must not be negative");
  if (!(options.tolerance >= 0.0)) throw std::invalid_argument("tolerance must not be negative");

  FitPlan plan;
  plan.parts = options.parts.empty() ? full_parts(tensor.order()) : options.parts;
  plan.ranks = plan_ranks(tensor, plan.parts, options, callbacks);
  plan.lambda = options.lambdas;
  if (plan.lambda.empty())
    for (const PartModes& part : plan.parts) plan.lambda.push_back(options.lambda * tensor.extent(part.mode));
  plan.path = plan_path(options);
  return plan;
}

}  // namespace lacuna
