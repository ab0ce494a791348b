// SPDX-License-Identifier: MIT
// The entries that a model was fitted on joined with new ones, and its parts with room for what these bring.
#pragma once

#include <lacuna/model/model.hpp>
#include <vector>

#include "model/latent.hpp"
#include "model/update_side.hpp"

namespace lacuna {

struct JoinedEntries {
  ObservedTensor tensor;
  std::vector<Index> old_of;   // of each entry the one that the model was fitted on, or kUnseen
  std::vector<char> is_fresh;  // not there before, or with another value
};

// `old_value`: the numbers with which the old entries went into the joined ones; both are in canonical order.
[[nodiscard]] JoinedEntries compared(ObservedTensor joined, const ObservedTensor& old,
                                     const std::vector<double>& old_value);

struct UpdatePart {
  PartSpec spec;
  UpdateSide rows;
  UpdateSide fibers;
};

// The parts of the old model. Rows and fibers are as predictions use them, so nothing but the modes is left of the
// specifications.
[[nodiscard]] std::vector<UpdatePart> grown_parts(const Latent& latent, const JoinedEntries& joined);

}  // namespace lacuna
