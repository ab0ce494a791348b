// SPDX-License-Identifier: MIT
// What people do when pixels are lost: linear interpolation over a triangulation of those that are left.
#pragma once

#include <array>
#include <vector>

struct Pixel {
  int row = 0;
  int column = 0;
};

// For each pixel of a rows x columns picture, three of `known` by number and their weights, which sum to 1. Pixels outside
// of the known ones' hull take the nearest known pixel.
struct Triangle {
  std::array<int, 3> corner{};
  std::array<double, 3> weight{};
};
[[nodiscard]] std::vector<Triangle> interpolate_linearly(const std::vector<Pixel>& known, int rows,
                                                         int columns);
