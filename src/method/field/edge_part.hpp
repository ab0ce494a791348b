// SPDX-License-Identifier: MIT
// What method edges takes where nothing is given.
#pragma once

#include <lacuna/method/settings.hpp>

namespace lacuna {

// The one part of method edges, with the rank that its field has: the first one given, else one that learns the
// shortest mode and is near along the others.
inline constexpr double kEdgeLength = 32.0;  // of that one, in typical distances of neighbours
[[nodiscard]] PartOptions edge_part(const std::vector<Mode>& modes, const Settings& settings);

// What counts as an edge, where nothing is given. Along several modes steps are smoothed before they are judged, which
// makes the largest ones small.
[[nodiscard]] double usual_contrast(const PartSpec& part, const std::vector<Mode>& modes);

}  // namespace lacuna
