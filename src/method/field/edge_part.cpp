// SPDX-License-Identifier: MIT
#include "method/field/edge_part.hpp"

#include <algorithm>

#include "method/ranks.hpp"
#include "tensor/positions.hpp"

namespace lacuna {
namespace {

// Along the shortest mode of all.
PartSpec usual_part(const std::vector<Mode>& modes) {
  PartSpec spec{.mode = 0, .agree = {}};
  const int order = static_cast<int>(modes.size());
  for (int k = 1; k < order; ++k)
    if (modes[k].size < modes[spec.mode].size) spec.mode = k;
  for (int k = 0; k < order; ++k)
    if (k != spec.mode) spec.near.push_back({.mode = k, .length = kEdgeLength * typical_spacing(modes[k])});
  spec.smoothness = 2.0;
  return spec;
}

}  // namespace

PartOptions edge_part(const std::vector<Mode>& modes, const Settings& settings) {
  const bool given = settings.latent.parts.given() && !settings.latent.parts->empty();
  PartOptions part = given ? settings.latent.parts->front() : PartOptions{.spec = usual_part(modes)};
  if (part.rank == 0) part.rank = ranks_of_parts(settings, {part}, static_cast<int>(modes.size())).front();
  const auto rows = part.spec.learns() ? static_cast<double>(modes[part.spec.mode].size) : 1.0;
  part.rank = static_cast<int>(std::min<double>(part.rank, rows));
  return part;
}

double usual_contrast(const PartSpec& part, const std::vector<Mode>& modes) {
  const auto with_steps = std::count_if(part.near.begin(), part.near.end(),
                                        [&](const NearMode& near) { return modes[near.mode].size > 1; });
  return with_steps > 1 ? 0.05 : 2.0;
}

}  // namespace lacuna
