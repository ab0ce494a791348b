// SPDX-License-Identifier: MIT
// A weighted mean of models of the same modes:
//
//   prediction(cell) = sum_m weight_m prediction_m(cell)
//
// Methods that err in different ways cancel part of each other's errors. Each member has its own offsets and guess;
// predictions are clipped once, by the model they are the body of.
#pragma once

#include <lacuna/model/model.hpp>
#include <vector>

namespace lacuna {

struct Blend {
  std::vector<Model> members;
  std::vector<double> weights;  // > 0, one for each member; they add up to 1
};

// The members of a blend, or the model itself.
[[nodiscard]] std::vector<const Model*> members(const Model& model);

// A model whose body is the blend: modes, range, clip and number of entries are those of its first member.
// Throws std::invalid_argument unless there is a positive weight for each member.
[[nodiscard]] Model blended(Blend blend);

// "0.62 tr-mm + 0.38 halrtc"
[[nodiscard]] std::string describe(const Blend& blend);

}  // namespace lacuna
