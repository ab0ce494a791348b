// SPDX-License-Identifier: MIT
// The Huber loss by reweighting: min sum_e w_e h(r_e), h(r) = r^2 / 2 up to delta and delta (|r| - delta / 2)
// beyond, is solved by weighted least squares with weights w_e min(1, delta / |r_e|), found in turns with the
// fit. Each turn is a fit of problem D or P as it stands, so the dual and its certificate hold for the last
// weights. delta is 1.345 deviations of the errors, estimated by their median: as good as least squares to
// 95 % where errors are normal.
#pragma once

#include <lacuna/method/fit.hpp>

namespace lacuna {

// fit() for options with this loss and nothing left to choose.
[[nodiscard]] FitResult fit_robustly(ObservedTensor tensor, const FitOptions& options,
                                     const FitCallbacks& callbacks, const Entries* test);

// The entries that a first robust fit gives at least half their weight: what choices are made on, since the
// held-out error would count the others most.
[[nodiscard]] ObservedTensor believed_entries(const ObservedTensor& tensor, const FitOptions& options,
                                              const FitCallbacks& callbacks);

}  // namespace lacuna
