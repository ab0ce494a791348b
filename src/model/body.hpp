// SPDX-License-Identifier: MIT
// What a model adds to its offsets: nothing, one of five kinds of tensor, or a blend of whole models.
#pragma once

#include <variant>

#include "linalg/tucker.hpp"
#include "model/blend.hpp"
#include "model/bodies.hpp"
#include "model/complex.hpp"
#include "model/latent.hpp"

namespace lacuna {

struct ModelBody : std::variant<std::monostate, Latent, Tucker, Cp, Dense, ComplEx, Blend> {
  using variant::variant;
};

}  // namespace lacuna
