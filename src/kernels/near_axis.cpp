// SPDX-License-Identifier: MIT
#include "kernels/near_axis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace lacuna {
namespace {
constexpr double kRegular = 1e-9;  // relative differences of spacing that rounding explains
}

NearAxis make_axis(const Mode& mode, const NearMode& near) {
  NearAxis axis{.mode = near.mode, .length = near.length, .position = {}, .place = {}};
  axis.place.resize(mode.size);
  std::iota(axis.place.begin(), axis.place.end(), Index{0});
  if (mode.positions.empty()) {
    axis.position.resize(mode.size);
    std::iota(axis.position.begin(), axis.position.end(), 0.0);
    axis.spacing = 1.0;
    return axis;
  }
  const std::string name = "mode '" + mode.name + "'";
  if (mode.positions.size() != mode.size)
    throw std::invalid_argument(name + " has " + std::to_string(mode.positions.size()) + " positions for " +
                                std::to_string(mode.size) + " indices");
  for (const double x : mode.positions)
    if (!std::isfinite(x)) throw std::invalid_argument("a position of " + name + " is not a finite number");
  std::vector<Index> order = axis.place;
  std::stable_sort(order.begin(), order.end(),
                   [&](Index a, Index b) { return mode.positions[a] < mode.positions[b]; });
  for (std::size_t i = 0; i < order.size(); ++i) {
    axis.place[order[i]] = static_cast<Index>(i);
    axis.position.push_back(mode.positions[order[i]]);
    if (i > 0 && !(axis.position[i - 1] < axis.position[i]))
      throw std::invalid_argument("two indices of " + name + " have the same position " +
                                  std::to_string(axis.position[i]));
  }
  if (mode.size == 1) {
    axis.spacing = 1.0;
    return axis;
  }
  const double mean = (axis.position.back() - axis.position.front()) / (mode.size - 1.0);
  bool regular = true;
  for (std::size_t i = 1; i < axis.position.size(); ++i)
    regular = regular && std::abs(axis.position[i] - axis.position[i - 1] - mean) <=
                             kRegular * (std::abs(axis.position[i]) + mean);
  if (regular) axis.spacing = mean;
  return axis;
}

NearAxis::Between NearAxis::locate(double x) const {
  const auto after = std::upper_bound(position.begin(), position.end(), x);
  Between found{.place = after - position.begin() - 1};
  if (found.place >= 0 && after != position.end())
    found.share = (x - position[found.place]) / (*after - position[found.place]);
  return found;
}

}  // namespace lacuna
