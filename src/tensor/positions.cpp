// SPDX-License-Identifier: MIT
#include "tensor/positions.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace lacuna {
namespace {

// Of the spacing: coordinates are often stored as floats, and clocks are not exact.
constexpr double kRegular = 1e-3;

std::vector<double> ascending_positions(const Mode& mode) {
  std::vector<double> ascending = mode.positions;
  std::sort(ascending.begin(), ascending.end());
  return ascending;
}

}  // namespace

std::vector<Index> places(const Mode& mode) {
  if (std::is_sorted(mode.positions.begin(), mode.positions.end())) return {};
  std::vector<Index> order(mode.positions.size());
  std::iota(order.begin(), order.end(), Index{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return mode.positions[a] < mode.positions[b]; });
  std::vector<Index> place(order.size());
  for (std::size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<Index>(i);
  return place;
}

double regular_spacing(const std::vector<double>& ascending) {
  if (ascending.size() < 2) return 1.0;
  const double spacing =
      (ascending.back() - ascending.front()) / (static_cast<double>(ascending.size()) - 1.0);
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    const double expected = ascending.front() + static_cast<double>(i) * spacing;
    if (!(std::abs(ascending[i] - expected) <= kRegular * spacing)) return 0.0;
  }
  return spacing;
}

double regular_spacing(const Mode& mode) {
  return mode.positions.empty() ? 1.0 : regular_spacing(ascending_positions(mode));
}

double typical_spacing(const Mode& mode) {
  if (mode.positions.size() < 2) return 1.0;
  std::vector<double> distance = ascending_positions(mode);
  std::adjacent_difference(distance.begin(), distance.end(), distance.begin());
  distance.erase(distance.begin());
  const auto middle = distance.begin() + static_cast<std::ptrdiff_t>(distance.size() / 2);
  std::nth_element(distance.begin(), middle, distance.end());
  return *middle;
}

double extent(const Mode& mode) {
  if (mode.positions.empty()) return static_cast<double>(mode.size) - 1.0;
  const auto [low, high] = std::minmax_element(mode.positions.begin(), mode.positions.end());
  return *high - *low;
}

}  // namespace lacuna
