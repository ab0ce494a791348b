// SPDX-License-Identifier: MIT
// What a model adds to its offsets: nothing, one of five kinds of tensor, or a blend of whole models.
#pragma once

#include <span>
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

// Modes of which the body says something at every position, whether an entry was observed there or not.
[[nodiscard]] inline std::span<const int> spanned_modes(const ModelBody& body) {
  const auto* dense = std::get_if<Dense>(&body);
  return dense != nullptr ? std::span<const int>(dense->spanned) : std::span<const int>();
}

}  // namespace lacuna
