// SPDX-License-Identifier: MIT
#include "search/holes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "base/rng.hpp"
#include "search/side.hpp"
#include "tensor/count_cells.hpp"
#include "tensor/lexicographic_order.hpp"
#include "tensor/positions.hpp"

namespace lacuna {
namespace {

constexpr double kLeastDensity = 0.05;  // below it nobody will ask for most missing cells: single entries
constexpr double kLeastShare = 0.02;    // of the missing cells, for a kind to count
constexpr double kSigmas = 5.0;         // beyond chance, for empty groups to count
constexpr double kMostGroups = 2e8;     // a bit each
constexpr double kClustered = 0.15;     // how much likelier a hole is beside a hole, of what is possible
constexpr double kMostMissing = 0.6;    // share of missing groups beyond which they are no islands any more

// The groups that agree in the modes `fixed`: which have an observed entry, and which each entry is in.
class Groups {
 public:
  Groups(const ObservedTensor& tensor, const std::vector<int>& fixed) : tensor_(&tensor), fixed_(&fixed) {
    for (const int k : fixed) place_.push_back(places(tensor.modes()[k]));
    stride_.assign(fixed.size(), 1);
    for (std::size_t j = fixed.size(); j-- > 0;) {
      stride_[j] = count_;
      count_ *= tensor.extent(fixed[j]);
    }
    observed_.assign(count_, false);
    for (Count e = 0; e < tensor.size(); ++e) observed_[of_entry(e)] = true;
  }

  [[nodiscard]] std::size_t count() const { return count_; }
  [[nodiscard]] bool observed(std::size_t group) const { return observed_[group]; }
  [[nodiscard]] std::size_t of_entry(Count e) const {
    std::size_t group = 0;
    for (std::size_t j = 0; j < fixed_->size(); ++j) {
      const Index i = tensor_->index((*fixed_)[j])[e];
      group += stride_[j] * (place_[j].empty() ? i : place_[j][i]);
    }
    return group;
  }
  [[nodiscard]] std::size_t size(std::size_t j) const { return tensor_->extent((*fixed_)[j]); }
  [[nodiscard]] std::size_t position(std::size_t group, std::size_t j) const {
    return group / stride_[j] % size(j);
  }
  [[nodiscard]] std::size_t stride(std::size_t j) const { return stride_[j]; }
  [[nodiscard]] std::size_t modes() const { return fixed_->size(); }
  [[nodiscard]] double missing_share() const {
    const auto seen = std::count(observed_.begin(), observed_.end(), true);
    return 1.0 - static_cast<double>(seen) / static_cast<double>(count_);
  }
  // How likely the next group along mode j is missing, given that this one is.
  [[nodiscard]] double missing_beside(std::size_t j) const {
    double holes = 0.0;
    double both = 0.0;
    for (std::size_t g = 0; g < count_; ++g) {
      if (observed_[g] || position(g, j) + 1 >= size(j)) continue;
      holes += 1.0;
      both += observed_[g + stride_[j]] ? 0.0 : 1.0;
    }
    return holes > 0.0 ? both / holes : 0.0;
  }

 private:
  const ObservedTensor* tensor_;
  const std::vector<int>* fixed_;
  std::vector<std::vector<Index>> place_;  // neighbours are by position
  std::vector<std::size_t> stride_;
  std::size_t count_ = 1;
  std::vector<bool> observed_;
};

// The share q of groups of m cells that are lost as a whole, when the cells of the others are observed
// independently and `empty` of all groups are seen empty: empty = q + (1-q) (1 - d/(1-q))^m.
double lost_groups(double empty, double density, double m) {
  double low = 0.0;
  double high = 1.0 - density;
  for (int round = 0; round < 60; ++round) {
    const double q = 0.5 * (low + high);
    const double seen = q + (1.0 - q) * std::pow(std::max(0.0, 1.0 - density / (1.0 - q)), m);
    (seen < empty ? low : high) = q;
  }
  return 0.5 * (low + high);
}

bool is_clustered(const Groups& groups) {
  const double missing = groups.missing_share();
  if (missing > kMostMissing || missing == 0.0) return false;
  for (std::size_t j = 0; j < groups.modes(); ++j)
    if (groups.missing_beside(j) > missing + kClustered * (1.0 - missing)) return true;
  return false;
}

std::vector<std::vector<int>> sets_of_modes(int order) {
  std::vector<std::vector<int>> sets;
  for (int size = 1; size < order; ++size)
    for (unsigned bits = 1; bits < 1U << order; ++bits) {
      if (std::popcount(bits) != size) continue;
      std::vector<int> set;
      for (int k = 0; k < order; ++k)
        if ((bits >> k & 1U) != 0) set.push_back(k);
      sets.push_back(std::move(set));
    }
  return sets;
}

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

HoleKind single_cells(const ObservedTensor& tensor, double share) {
  HoleKind kind{.fixed = std::vector<int>(static_cast<std::size_t>(tensor.order())), .share = share};
  std::iota(kind.fixed.begin(), kind.fixed.end(), 0);
  const double cells = count_cells(tensor.modes());
  if (cells <= kMostGroups && static_cast<double>(tensor.size()) > kLeastDensity * cells)
    kind.clustered = is_clustered(Groups(tensor, kind.fixed));
  return kind;
}

}  // namespace

// From small groups to large ones: a large group may be empty because all of its smaller ones happen to be, so
// it is compared with what the finest kind found so far would leave empty.
std::vector<HoleKind> hole_kinds(const ObservedTensor& tensor) {
  const double cells = count_cells(tensor.modes());
  const double density = static_cast<double>(tensor.size()) / cells;
  if (density < kLeastDensity || density >= 1.0) return {single_cells(tensor, 1.0)};
  struct Finer {
    HoleKind kind;
    double count;    // of groups
    double density;  // share of them that have an entry
  };
  std::vector<Finer> found;
  std::vector<std::vector<int>> sets = sets_of_modes(tensor.order());
  std::reverse(sets.begin(), sets.end());
  for (const std::vector<int>& fixed : sets) {
    double count = 1.0;
    for (const int k : fixed) count *= tensor.extent(k);
    if (count > kMostGroups || count == 1.0) continue;
    Finer* base = nullptr;  // the kind of smaller groups that explains most
    for (Finer& one : found)
      if (std::includes(one.kind.fixed.begin(), one.kind.fixed.end(), fixed.begin(), fixed.end()) &&
          (base == nullptr || one.kind.share > base->kind.share))
        base = &one;
    const Groups groups(tensor, fixed);
    const double empty = groups.missing_share();
    const double finer = base != nullptr ? base->density : density;
    const double size = (base != nullptr ? base->count : cells) / count;
    const double by_chance = std::pow(1.0 - finer, size);
    if ((empty - by_chance) * count <= kSigmas * std::sqrt(by_chance * count + 1.0)) continue;
    double share = lost_groups(empty, finer, size) / (1.0 - density);
    if (base != nullptr) share = std::min(share, base->kind.share);
    if (share < kLeastShare) continue;
    if (base != nullptr) base->kind.share -= share;
    found.push_back({.kind = {.fixed = fixed, .share = share, .clustered = is_clustered(groups)},
                     .count = count,
                     .density = 1.0 - empty});
  }
  std::vector<HoleKind> kinds;
  double explained = 0.0;
  for (const Finer& one : found) {
    if (one.kind.share < kLeastShare) continue;
    kinds.insert(kinds.begin(), one.kind);
    explained += one.kind.share;
  }
  if (kinds.empty() || 1.0 - explained >= kLeastShare)
    kinds.push_back(single_cells(tensor, 1.0 - std::min(1.0, explained)));
  for (HoleKind& kind : kinds) kind.share /= std::max(1.0, explained);
  return kinds;
}

std::optional<HoldOut> hold_out_like_holes(const ObservedTensor& tensor, double share, std::uint64_t seed) {
  Rng rng(seed);
  std::vector<bool> held(static_cast<std::size_t>(tensor.size()), false);
  for (const HoleKind& kind : hole_kinds(tensor)) {
    if (static_cast<int>(kind.fixed.size()) == tensor.order() && !kind.clustered) {
      for (auto&& one : held) one = one || rng.uniform() < share * kind.share;
      continue;
    }
    const Groups groups(tensor, kind.fixed);
    const std::vector<bool> chosen = held_groups(groups, kind, share, rng);
    for (Count e = 0; e < tensor.size(); ++e) held[e] = held[e] || chosen[groups.of_entry(e)];
  }
  hold_out_cold_positions(tensor, share, rng, held);
  HoldOut split = hold_out(tensor, [&](Count e) { return held[e]; });
  if (split.kept.size() == 0 || split.held.size() == 0) return std::nullopt;
  return split;
}

std::vector<int> fold_of_entries(const ObservedTensor& tensor, int folds, std::uint64_t seed) {
  const std::vector<HoleKind> kinds = hole_kinds(tensor);
  const auto& most = *std::max_element(
      kinds.begin(), kinds.end(), [](const HoleKind& a, const HoleKind& b) { return a.share < b.share; });
  // The number of each entry's group, from 0.
  const std::vector<Index> order = lexicographic_order(tensor.cells(), most.fixed);
  std::vector<Index> unit(order.size());
  Index units = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto differs = [&](int k) { return tensor.index(k)[order[i]] != tensor.index(k)[order[i - 1]]; };
    if (i > 0 && std::any_of(most.fixed.begin(), most.fixed.end(), differs)) ++units;
    unit[order[i]] = units;
  }
  ++units;
  if (static_cast<Index>(folds) > units)
    throw std::invalid_argument(fmt::format(
        "there are {} entries or whole fibers to hold out, fewer than the {} folds", units, folds));
  std::vector<int> of_unit(units);
  for (Index u = 0; u < units; ++u) of_unit[u] = static_cast<int>(u % static_cast<Index>(folds));
  Rng rng(seed);
  for (Index u = units - 1; u > 0; --u) std::swap(of_unit[u], of_unit[rng.below(u + 1)]);
  std::vector<int> fold;
  for (const Index one : unit) fold.push_back(of_unit[one]);
  return fold;
}

std::string describe(const std::vector<HoleKind>& kinds, const std::vector<Mode>& modes) {
  std::string text;
  for (const HoleKind& kind : kinds) {
    std::string along;
    for (std::size_t k = 0; k < modes.size(); ++k)
      if (std::find(kind.fixed.begin(), kind.fixed.end(), static_cast<int>(k)) == kind.fixed.end())
        along += (along.empty() ? "" : " x ") + modes[k].name;
    text += fmt::format("{}{}{} ({:.0f} %)", text.empty() ? "" : ", ",
                        along.empty() ? "single cells" : "all of " + along,
                        kind.clustered ? " in clusters" : "", 100.0 * kind.share);
  }
  return text;
}

}  // namespace lacuna
