// SPDX-License-Identifier: MIT
// What a latent model knows of the entries it was fitted on: it keeps what it leaves of them.
#pragma once

#include <lacuna/model/model.hpp>

#include "model/latent.hpp"

namespace lacuna {

// Whether the values can be told from what the model keeps: not of tr-ls, whose Z is a variable of its own.
[[nodiscard]] bool tells_values(const Model& model);

// The model itself, or the member of a blend, from which the values can be told; null: there is none.
[[nodiscard]] const Model* keeper_of_entries(const Model& model);

// The value of an entry minus what the model says of it: Z = 2 w (Y - W) in dual form, w (Y - W) in factored form.
[[nodiscard]] inline double left_of_entry(const Latent& latent, Count entry) {
  return (latent.factored() ? 1.0 : 0.5) * latent.dual.values()[entry] / latent.dual.weight(entry);
}

// The variance of that: what the fit found, else over the entries.
[[nodiscard]] double noise_variance(const Model& model);

}  // namespace lacuna
