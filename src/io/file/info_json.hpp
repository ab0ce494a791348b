// SPDX-License-Identifier: MIT
// What is in data and in models, as JSON: what `info` tells.
#pragma once

#include <lacuna/model/model.hpp>
#include <nlohmann/json.hpp>

namespace lacuna::io {

// Sizes, values, and how entries lie on fibers.
[[nodiscard]] nlohmann::ordered_json data_json(const ObservedTensor& tensor);
// What the model is, what it was told and what its modes are.
[[nodiscard]] nlohmann::ordered_json model_json(const Model& model);
// Where the mode's indices lie; null: at the indices.
[[nodiscard]] nlohmann::ordered_json positions_json(const Mode& mode);

}  // namespace lacuna::io
