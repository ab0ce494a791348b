// SPDX-License-Identifier: MIT
// Ranks that grow by themselves: fit small, add the directions of descent that the certificate names in the
// parts where they pay, fit on from there, until the error on held-out entries no longer falls or no rank can
// do better.
#pragma once

#include "search/trials.hpp"

namespace lacuna {

struct Growth {
  double error = 0.0;  // on the held-out entries
  Model model;         // of the trial that had it: a start for the fit on all entries; empty when none was
};

// `settings` has parts, offsets and lambda; its ranks are ignored.
[[nodiscard]] Growth grow_ranks(Trials& trials, FitOptions settings);

// The same for a Tucker method, which has no certificate: one more in every mode.
[[nodiscard]] Growth grow_tucker_ranks(Trials& trials, FitOptions settings);

}  // namespace lacuna
