// SPDX-License-Identifier: MIT
// The Huber loss by iteratively reweighted least squares:
//
//   min  sum_e w_e h(r_e),   h(r) = r^2 / 2                    where |r| <= delta
//                            h(r) = delta (|r| - delta / 2)    elsewhere
//
// A weighted least-squares fit with weights w_e min(1, delta / |r_e|) and an update of these weights from its
// residuals alternate until the weights settle. Each fit is one of problem D or P as it stands, so the dual and its
// certificate hold for the last weights. delta = 1.345 standard deviations of the residuals, estimated from their
// median size: 95 % as efficient as least squares where errors are normal.
#pragma once

#include <lacuna/method/fit_once.hpp>

namespace lacuna {

// fit_once() for the Huber loss.
[[nodiscard]] FitResult fit_robustly(ObservedTensor tensor, const Settings& settings,
                                     const FitCallbacks& callbacks, const Entries* test);

// The entries without those that a first robust fit down-weights below one half. Choices are made on these, since
// outliers would dominate a held-out squared error.
[[nodiscard]] ObservedTensor inlier_entries(const ObservedTensor& tensor, const Settings& settings,
                                            const FitCallbacks& callbacks);

}  // namespace lacuna
