// SPDX-License-Identifier: MIT
// What a model knows of the entries it was fitted on: a latent one keeps what it leaves of them, others may keep
// themselves what they were given (Model::kept).
#pragma once

#include <lacuna/model/model.hpp>

#include "model/latent.hpp"

namespace lacuna {

// Whether the values can be told from what a latent body leaves of them: not of tr-ls, whose Z is a variable of its own.
[[nodiscard]] bool tells_values(const Model& model);

// The model itself, or the member of a blend, which keeps the entries or from which they can be told; null: there is none.
[[nodiscard]] const Model* keeper_of_entries(const Model& model);

// Of such a model: its entries, with values that may be what is left of them, and the values that it was fitted on.
[[nodiscard]] const ObservedTensor& entries_of(const Model& keeper);
[[nodiscard]] std::vector<double> fitted_values(const Model& keeper);

// The value of an entry minus what the model says of it: Z = 2 w (Y - W) in dual form, w (Y - W) in factored form.
[[nodiscard]] inline double left_of_entry(const Latent& latent, Count entry) {
  return (latent.factored() ? 1.0 : 0.5) * latent.dual.values()[entry] / latent.dual.weight(entry);
}

// The variance of that: what the fit found, else over the entries.
[[nodiscard]] double noise_variance(const Model& model);

}  // namespace lacuna
