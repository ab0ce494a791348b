// SPDX-License-Identifier: MIT
// Which modes of a tensor are the rows, columns, colours and frames of pictures.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <optional>
#include <vector>

namespace lacuna::report {

struct PictureModes {
  int row = 0;
  int column = 1;
  std::optional<int> channel{};  // three colours
  std::optional<int> frame{};    // what tells one picture from the next: time, bands
};

// By name where two modes are called row and column, y and x, or latitude and longitude, as pictures, videos and cubes
// call them; else the first two. A mode of 3 besides is taken for colours, but for one between named rows and columns that is
// called otherwise. Nothing: fewer than two modes or more than are told.
[[nodiscard]] std::optional<PictureModes> picture_modes(const std::vector<Mode>& modes);

// Whether there are enough rows and columns for a picture: fewer are a table.
[[nodiscard]] bool are_pictures(const std::vector<Mode>& modes);

}  // namespace lacuna::report
