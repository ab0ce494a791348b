// SPDX-License-Identifier: MIT
// A mountain lake, drawn: sharp edges, texture at many scales, shading. What photographs have and smooth pictures
// have not.
#pragma once

#include <array>

namespace landscape {

using Colour = std::array<double, 3>;  // red, green, blue in 0..1

// x and y run over 0..1, from the top left.
[[nodiscard]] Colour at(double x, double y);

}  // namespace landscape
