// SPDX-License-Identifier: MIT
// The components of a model as a page shows them: pictures over the pixels of a picture, curves over modes whose
// positions have an order, lists of the strongest positions over others.
#pragma once

#include <lacuna/model/model.hpp>
#include <nlohmann/json.hpp>

namespace lacuna::report {

// [{title, kind, names, ...}] with, by kind,
//   "pictures"  images: [{caption, source}]
//   "curves"    xLabel, x, y: a list for each component, null where nothing is known
//   "lists"     lists: for each component [[label, number], ...], the largest first
// A mode's positions have an order when they are times, have coordinates, are near each other in some part, are rows or
// columns of a picture, or are plain numbers along which the first component changes slowly.
[[nodiscard]] nlohmann::ordered_json components(const Model& model, bool picture);

}  // namespace lacuna::report
