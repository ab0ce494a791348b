// SPDX-License-Identifier: MIT
// Which entries are held out, alike on any number of processes. Where few of the cells are observed that is said by a hash
// of the cell. Where many are, groups of cells or single ones are drawn one after the other, in an order that every
// process knows: that of a bit for each of them, which the processes put together.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/rng.hpp"
#include "search/groups.hpp"
#include "search/holes.hpp"
#include "search/side.hpp"
#include "tensor/cell_hash.hpp"
#include "tensor/keep_if.hpp"
#include "tensor/sort_entries.hpp"

namespace lacuna {
namespace {

// Stream of what is judged of a fold that holds out more than that: another than those by which folds are dealt.
constexpr std::uint64_t kJudging = 0x6a09e667f3bcc909U;

// Copies of holes, with what is around them, put where there are entries, until enough groups are covered.
void cover_with_copies(const Groups& groups, double wanted, Rng& rng, std::vector<bool>& held) {
  std::vector<std::size_t> holes;
  for (std::size_t g = 0; g < groups.count(); ++g)
    if (!groups.observed(g)) holes.push_back(g);
  if (holes.empty()) return;
  std::vector<std::int64_t> reach;  // half the window: about as long as holes are along the mode
  for (std::size_t j = 0; j < groups.modes(); ++j)
    reach.push_back(
        std::clamp<std::int64_t>(std::llround(1.0 / std::max(0.02, 1.0 - groups.missing_beside(j))), 1, 64));
  double covered = 0.0;
  for (int copy = 0; copy < 100'000 && covered < wanted; ++copy) {
    const std::size_t from = holes[rng.below(holes.size())];
    const std::size_t to = rng.below(groups.count());
    std::vector<std::int64_t> at(groups.modes());
    for (std::size_t j = 0; j < at.size(); ++j) at[j] = -reach[j];
    for (bool more = true; more;) {
      std::size_t source = 0;
      std::size_t target = 0;
      bool inside = true;
      for (std::size_t j = 0; j < at.size(); ++j) {
        const auto size = static_cast<std::int64_t>(groups.size(j));
        const std::int64_t a = static_cast<std::int64_t>(groups.position(from, j)) + at[j];
        const std::int64_t b = static_cast<std::int64_t>(groups.position(to, j)) + at[j];
        inside = inside && a >= 0 && a < size && b >= 0 && b < size;
        source += inside ? static_cast<std::size_t>(a) * groups.stride(j) : 0;
        target += inside ? static_cast<std::size_t>(b) * groups.stride(j) : 0;
      }
      if (inside && !groups.observed(source) && groups.observed(target) && !held[target]) {
        held[target] = true;
        covered += 1.0;
      }
      more = false;
      for (std::size_t j = at.size(); j-- > 0 && !more;) {
        more = at[j] < reach[j];
        at[j] = more ? at[j] + 1 : -reach[j];
      }
    }
  }
}

std::vector<bool> held_groups(const Groups& groups, const HoleKind& kind, double share, Rng& rng) {
  std::vector<bool> held(groups.count(), false);
  const double observed = static_cast<double>(groups.count()) * (1.0 - groups.missing_share());
  if (kind.clustered) {
    cover_with_copies(groups, share * kind.share * observed, rng, held);
    return held;
  }
  for (std::size_t g = 0; g < groups.count(); ++g)
    if (groups.observed(g)) held[g] = rng.uniform() < share * kind.share;
  return held;
}

// A number from [0, 1) for the entry's cell.
double draw_of(const Cells& cells, Count e, std::uint64_t seed) {
  return static_cast<double>(cell_hash(cells, e, mixed_bits(seed)) >> 11U) * 0x1.0p-53;
}

std::vector<int> all_modes(const ObservedTensor& tensor) {
  std::vector<int> modes(static_cast<std::size_t>(tensor.order()));
  std::iota(modes.begin(), modes.end(), 0);
  return modes;
}

// One draw for each entry that is not held out yet, in canonical order.
void hold_out_in_order(const ObservedTensor& tensor, double share, Rng& rng, const Communicator& sharers,
                       std::vector<bool>& held) {
  if (sharers.alone()) {
    for (auto&& one : held) one = one || rng.uniform() < share;
    return;
  }
  const std::vector<int> modes = all_modes(tensor);
  const Groups cells(tensor, modes, sharers, Groups::Order::kByIndex, [&](Count e) { return !held[e]; });
  std::vector<bool> chosen(cells.count(), false);
  for (std::size_t cell = 0; cell < cells.count(); ++cell)
    if (cells.observed(cell)) chosen[cell] = rng.uniform() < share;
  for (Count e = 0; e < tensor.size(); ++e) held[e] = held[e] || chosen[cells.of_entry(e)];
}

// Held out on whichever process: on all of them, in canonical order.
Entries everyones(Entries held, const std::vector<Mode>& modes, const Communicator& sharers) {
  if (sharers.alone()) return held;
  const bool weighted = sharers.any(!held.weight.empty());
  if (weighted) held.weight.resize(held.value.size(), 1.0);
  std::vector<std::vector<Index>> cells;
  for (std::size_t k = 0; k < modes.size(); ++k)
    cells.push_back(sharers.gather(std::span<const Index>(held.cells.mode(static_cast<int>(k)))));
  Entries all{.cells = Cells(std::move(cells)), .value = sharers.gather(std::span<const double>(held.value))};
  if (weighted) all.weight = sharers.gather(std::span<const double>(held.weight));
  (void)sort_entries(all, Duplicates::kError);
  return all;
}

// Thresholds between which equally many of all numbers lie: the smallest t with f N / folds of them below it.
std::vector<std::uint64_t> quantiles(const std::vector<std::uint64_t>& mine, int folds,
                                     const Communicator& sharers) {
  const Count all = sharers.sum(static_cast<Count>(mine.size()));
  std::vector<std::uint64_t> found;
  for (int f = 1; f < folds; ++f) {
    const Count wanted = all * f / folds;
    std::uint64_t threshold = 0;
    for (int bit = 63; bit >= 0; --bit) {  // the largest with no more than that below it
      const std::uint64_t higher = threshold | std::uint64_t{1} << static_cast<unsigned>(bit);
      const auto below =
          std::count_if(mine.begin(), mine.end(), [&](std::uint64_t one) { return one < higher; });
      if (sharers.sum(static_cast<Count>(below)) <= wanted) threshold = higher;
    }
    found.push_back(threshold);
  }
  return found;
}

void check_folds(Count units, int folds) {
  if (folds > units)
    throw std::invalid_argument(fmt::format(
        "there are {} entries or whole fibers to hold out, fewer than the {} folds", units, folds));
}

std::vector<int> folds_by_hash(const ObservedTensor& tensor, int folds, std::uint64_t seed,
                               const Communicator& sharers) {
  check_folds(sharers.sum(tensor.size()), folds);
  std::vector<std::uint64_t> hashes;
  for (Count e = 0; e < tensor.size(); ++e) hashes.push_back(cell_hash(tensor.cells(), e, mixed_bits(seed)));
  const std::vector<std::uint64_t> bounds = quantiles(hashes, folds, sharers);
  std::vector<int> fold;
  for (const std::uint64_t hash : hashes)
    fold.push_back(static_cast<int>(std::upper_bound(bounds.begin(), bounds.end(), hash) - bounds.begin()));
  return fold;
}

// Groups are dealt like cards, as they come by index.
std::vector<int> folds_of_groups(const ObservedTensor& tensor, const std::vector<int>& fixed, int folds,
                                 std::uint64_t seed, const Communicator& sharers) {
  const Groups groups(tensor, fixed, sharers, Groups::Order::kByIndex);
  constexpr std::size_t kBlock = 64;
  std::vector<Index> before;  // observed groups before each block of them
  Index units = 0;
  for (std::size_t group = 0; group < groups.count(); ++group) {
    if (group % kBlock == 0) before.push_back(units);
    units += groups.observed(group) ? 1 : 0;
  }
  check_folds(units, folds);
  std::vector<int> of_unit(units);
  for (Index u = 0; u < units; ++u) of_unit[u] = static_cast<int>(u % static_cast<Index>(folds));
  Rng rng(seed);
  for (Index u = units - 1; u > 0; --u) std::swap(of_unit[u], of_unit[rng.below(u + 1)]);
  std::vector<int> fold;
  for (Count e = 0; e < tensor.size(); ++e) {
    const std::size_t group = groups.of_entry(e);
    Index unit = before[group / kBlock];
    for (std::size_t g = group / kBlock * kBlock; g < group; ++g) unit += groups.observed(g) ? 1 : 0;
    fold.push_back(of_unit[unit]);
  }
  return fold;
}

}  // namespace

std::optional<HoldOut> hold_out_like_holes(const ObservedTensor& tensor, double share, std::uint64_t seed,
                                           const Communicator& sharers, double in_clusters) {
  Rng rng(seed);
  std::vector<bool> held(static_cast<std::size_t>(tensor.size()), false);
  const double most = kMostHeld / static_cast<double>(sharers.sum(tensor.size()));
  for (const HoleKind& kind : hole_kinds(tensor, sharers)) {
    if (static_cast<int>(kind.fixed.size()) == tensor.order() && !kind.clustered) {
      if (are_countable(tensor, sharers))
        hold_out_in_order(tensor, share * kind.share, rng, sharers, held);
      else
        for (Count e = 0; e < tensor.size(); ++e)
          held[e] = held[e] || draw_of(tensor.cells(), e, seed) < std::min(share, most) * kind.share;
      continue;
    }
    const Groups groups(tensor, kind.fixed, sharers);
    const std::vector<bool> chosen =
        held_groups(groups, kind, kind.clustered ? std::max(share, in_clusters) : share, rng);
    for (Count e = 0; e < tensor.size(); ++e) held[e] = held[e] || chosen[groups.of_entry(e)];
  }
  hold_out_cold_positions(tensor, share, rng, sharers, held);
  HoldOut split = hold_out(tensor, [&](Count e) { return held[e]; });
  split.held = everyones(std::move(split.held), tensor.modes(), sharers);
  if (sharers.sum(split.kept.size()) == 0 || split.held.size() == 0) return std::nullopt;
  return split;
}

std::vector<int> fold_of_entries(const ObservedTensor& tensor, int folds, std::uint64_t seed,
                                 const Communicator& sharers) {
  const std::vector<HoleKind> kinds = hole_kinds(tensor, sharers);
  const auto& most = *std::max_element(
      kinds.begin(), kinds.end(), [](const HoleKind& a, const HoleKind& b) { return a.share < b.share; });
  const bool single = static_cast<int>(most.fixed.size()) == tensor.order();
  return single && !are_countable(tensor, sharers)
             ? folds_by_hash(tensor, folds, seed, sharers)
             : folds_of_groups(tensor, most.fixed, folds, seed, sharers);
}

HoldOut hold_out_fold(const ObservedTensor& tensor, const std::vector<int>& fold_of_entry, int fold,
                      const Communicator& sharers, double most) {
  HoldOut split = hold_out(tensor, [&](Count e) { return fold_of_entry[e] == fold; });
  const double share = most / static_cast<double>(sharers.sum(split.held.size()));
  if (share < 1.0) {
    keep_if(split.held, [&](Count e) { return draw_of(split.held.cells, e, kJudging) < share; });
  }
  split.held = everyones(std::move(split.held), tensor.modes(), sharers);
  return split;
}

}  // namespace lacuna
