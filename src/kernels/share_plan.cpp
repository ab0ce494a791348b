// SPDX-License-Identifier: MIT
#include "kernels/share_plan.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace lacuna {
namespace {

Count count_crossing(const std::vector<int>& from, const std::vector<int>& to, const Communicator& everyone) {
  Count crossing = 0;
  for (std::size_t e = 0; e < from.size(); ++e) crossing += from[e] != to[e] ? 1 : 0;
  return everyone.sum(crossing);
}

// The layouts when entries are cut along this mode first.
SharePlan plan_from(std::size_t mode, std::span<const PartSpec> parts, const std::vector<Cuts>& cuts,
                    Count all, const Communicator& everyone) {
  SharePlan plan{{.cuts = cuts[mode], .parts = {}}};
  std::vector<const PartSpec*> homeless;
  for (std::size_t p = 0; p < parts.size(); ++p) {
    if (agrees(parts[p], static_cast<int>(mode)))
      plan.front().parts.push_back(p);
    else
      homeless.push_back(&parts[p]);
  }
  while (!homeless.empty()) {
    const int other = next_mode(homeless, cuts);
    PlannedLayout layout{.cuts = other == Cuts::kNoMode ? all_on_the_first(all, everyone) : cuts[other],
                         .parts = {}};
    std::erase_if(homeless, [&](const PartSpec* part) {
      const bool served = other == Cuts::kNoMode ? part->agree.empty() : agrees(*part, other);
      if (served) layout.parts.push_back(static_cast<std::size_t>(part - parts.data()));
      return served;
    });
    plan.push_back(std::move(layout));
  }
  return plan;
}

}  // namespace

SharePlan plan_shares(const ObservedTensor& portion, std::span<const PartSpec> parts,
                      const Communicator& everyone) {
  const std::vector<Cuts> cuts = all_cuts(portion, everyone);
  std::vector<std::vector<int>> owners;
  for (const Cuts& along : cuts) owners.push_back(along.owners(portion.cells()));
  const Count all = everyone.sum(portion.size());
  const auto processes = static_cast<double>(everyone.size());
  SharePlan best;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t mode = 0; mode < cuts.size(); ++mode) {
    SharePlan plan = plan_from(mode, parts, cuts, all, everyone);
    double cost = static_cast<double>(cuts[mode].largest);  // vectors over the entries
    for (const PlannedLayout& layout : plan)
      cost += static_cast<double>(layout.cuts.largest) * static_cast<double>(layout.parts.size());
    for (std::size_t l = 1; l < plan.size(); ++l) {
      const int other = plan[l].cuts.mode;
      const Count crossing =
          other == Cuts::kNoMode ? all : count_crossing(owners[mode], owners[other], everyone);
      cost += 2.0 * static_cast<double>(crossing) / processes;
    }
    if (cost < least) {
      least = cost;
      best = std::move(plan);
    }
  }
  return best;
}

ObservedTensor take_share(const ObservedTensor& portion, std::span<const PartSpec> parts,
                          const Communicator& everyone) {
  return std::move(deal_out(portion, plan_shares(portion, parts, everyone).front().cuts, everyone).tensor);
}

ObservedTensor portion_of_whole(const ObservedTensor& whole, const Communicator& everyone) {
  const Count begin = whole.size() * everyone.rank() / everyone.size();
  const Count end = whole.size() * (everyone.rank() + 1) / everyone.size();
  const auto slice = [&](const auto& list) { return std::vector(list.begin() + begin, list.begin() + end); };
  std::vector<std::vector<Index>> cells;
  for (int k = 0; k < whole.order(); ++k) cells.push_back(slice(whole.index(k)));
  Entries entries{.cells = Cells(std::move(cells)), .value = slice(whole.values())};
  if (!whole.weights().empty()) entries.weight = slice(whole.weights());
  return ObservedTensor::of_sorted(whole.modes(), std::move(entries));
}

ObservedTensor take_share_of_whole(const ObservedTensor& whole, std::span<const PartSpec> parts,
                                   const Communicator& everyone) {
  return take_share(portion_of_whole(whole, everyone), parts, everyone);
}

}  // namespace lacuna
