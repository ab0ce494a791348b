// SPDX-License-Identifier: MIT
// How far a fitted model is at most from the best over all ranks, from the model and its data alone.
#pragma once

#include <lacuna/model/model.hpp>
#include <lacuna/problem/certificate.hpp>

namespace lacuna {

// `train` holds the entries the model was fitted on, at the model's positions. Throws std::invalid_argument
// when its cells are others, or when the model does not come from problem D; ValueRangeError when the bounds
// are not finite.
[[nodiscard]] Certificate certify(const Model& model, ObservedTensor train);

}  // namespace lacuna
