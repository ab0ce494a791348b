// SPDX-License-Identifier: MIT
// Ranks that grow by themselves: fit small, add what is missing where it pays, fit on from there.
#pragma once

#include "search/evaluator.hpp"

namespace lacuna {

// Latent models: from the factors of the best, the directions of descent that the certificate names, while the
// held-out error falls. Leaves the best in the contest, whose settings have parts, offsets and lambda; their ranks are
// where to begin.
void grow_latent_ranks(Contest& contest);
// Tucker models, which have no certificate: one more in every mode.
void grow_tucker_ranks(Contest& contest, Settings settings);

// Fits on all entries at growing ranks until the duality gap is below the one asked for; no entry is held out.
[[nodiscard]] FitResult fit_certified(const ObservedTensor& tensor, Settings settings,
                                      const FitCallbacks& callbacks, const Entries* test);

}  // namespace lacuna
