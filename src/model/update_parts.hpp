// SPDX-License-Identifier: MIT
// The parts of a model with room for what new entries bring.
#pragma once

#include <lacuna/model/model.hpp>
#include <vector>

#include "model/latent.hpp"
#include "model/update_side.hpp"

namespace lacuna {

struct UpdatePart {
  PartSpec spec;
  UpdateSide rows;
  UpdateSide fibers;
};

// The parts of the old model. Rows and fibers are as predictions use them, so nothing but the modes is left of the
// specifications.
[[nodiscard]] std::vector<UpdatePart> grown_parts(const Latent& latent, const JoinedEntries& joined);

}  // namespace lacuna
