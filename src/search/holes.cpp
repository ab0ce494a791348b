// SPDX-License-Identifier: MIT
#include "search/holes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "search/groups.hpp"
#include "tensor/count_cells.hpp"

namespace lacuna {
namespace {

constexpr double kLeastDensity = 0.05;  // below it nobody will ask for most missing cells: single entries
constexpr double kMostGroups = 2e8;     // a bit each
constexpr double kLeastShare = 0.02;    // of the missing cells, for a kind to count
constexpr double kSigmas = 5.0;         // beyond chance, for empty groups to count
constexpr double kClustered = 0.15;     // how much likelier a hole is beside a hole, of what is possible
constexpr double kMostMissing = 0.6;    // share of missing groups beyond which they are no islands any more

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

HoleKind single_cells(const ObservedTensor& tensor, double share, const Communicator& sharers) {
  HoleKind kind{.fixed = std::vector<int>(static_cast<std::size_t>(tensor.order())), .share = share};
  std::iota(kind.fixed.begin(), kind.fixed.end(), 0);
  if (are_countable(tensor, sharers)) kind.clustered = is_clustered(Groups(tensor, kind.fixed, sharers));
  return kind;
}

}  // namespace

bool are_countable(const ObservedTensor& tensor, const Communicator& sharers) {
  const double cells = count_cells(tensor.modes());
  return cells <= kMostGroups && static_cast<double>(sharers.sum(tensor.size())) > kLeastDensity * cells;
}

// From small groups to large ones: a large group may be empty because all of its smaller ones happen to be, so
// it is compared with what the finest kind found so far would leave empty.
std::vector<HoleKind> hole_kinds(const ObservedTensor& tensor, const Communicator& sharers) {
  const double cells = count_cells(tensor.modes());
  const double density = static_cast<double>(sharers.sum(tensor.size())) / cells;
  if (density < kLeastDensity || density >= 1.0) return {single_cells(tensor, 1.0, sharers)};
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
    const Groups groups(tensor, fixed, sharers);
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
    kinds.push_back(single_cells(tensor, 1.0 - std::min(1.0, explained), sharers));
  for (HoleKind& kind : kinds) kind.share /= std::max(1.0, explained);
  return kinds;
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
