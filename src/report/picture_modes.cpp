// SPDX-License-Identifier: MIT
#include "report/picture_modes.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace lacuna::report {
namespace {

constexpr Index kSide = 16;  // rows or columns of the smallest picture
constexpr Index kColours = 3;

// The mode of that name, or nothing.
std::optional<int> find(const std::vector<Mode>& modes, std::string_view name) {
  const auto found =
      std::find_if(modes.begin(), modes.end(), [&](const Mode& mode) { return mode.name == name; });
  if (found == modes.end()) return std::nullopt;
  return static_cast<int>(found - modes.begin());
}

}  // namespace

std::optional<PictureModes> picture_modes(const std::vector<Mode>& modes) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames = {
      {{"row", "column"}, {"y", "x"}, {"lat", "lon"}, {"latitude", "longitude"}}};
  const auto order = static_cast<int>(modes.size());
  if (order < 2) return std::nullopt;
  PictureModes found;
  bool named = false;
  for (const auto& [row_name, column_name] : kNames) {
    const auto row = find(modes, row_name);
    const auto column = find(modes, column_name);
    if (named || !row || !column) continue;
    found = {.row = *row, .column = *column};
    named = true;
  }
  for (int k = 0; k < order; ++k) {
    if (k == found.row || k == found.column) continue;
    const Mode& mode = modes[static_cast<std::size_t>(k)];
    const bool colours = mode.size == kColours && (!named || mode.name == "channel" || mode.name == "band");
    std::optional<int>& role = colours ? found.channel : found.frame;
    if (role) return std::nullopt;
    role = k;
  }
  return found;
}

bool are_pictures(const std::vector<Mode>& modes) {
  const auto found = picture_modes(modes);
  return found && modes[static_cast<std::size_t>(found->row)].size >= kSide &&
         modes[static_cast<std::size_t>(found->column)].size >= kSide;
}

}  // namespace lacuna::report
