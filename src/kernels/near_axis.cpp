// SPDX-License-Identifier: MIT
#include "kernels/near_axis.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

#include "tensor/positions.hpp"

namespace lacuna {

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
  if (std::vector<Index> place = places(mode); !place.empty()) axis.place = std::move(place);
  axis.position.resize(mode.size);
  for (std::size_t i = 0; i < axis.place.size(); ++i) axis.position[axis.place[i]] = mode.positions[i];
  const auto same = std::adjacent_find(axis.position.begin(), axis.position.end());
  if (same != axis.position.end())
    throw std::invalid_argument("two indices of " + name + " have the same position " +
                                std::to_string(*same));
  axis.spacing = regular_spacing(axis.position);
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
