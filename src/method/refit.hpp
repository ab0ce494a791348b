// SPDX-License-Identifier: MIT
// A model fitted again, from the entries it keeps and new ones, with the settings that its record has.
#pragma once

#include <lacuna/method/fit_once.hpp>

namespace lacuna {

// `updated`: the model with the new entries taken up, whose factors a fit starts from, and takes a part of the steps then;
// null: from afar, every member of a blend by itself, with the weights that they have.
[[nodiscard]] Result<Model> fitted_again(const Model& fitted, const Model* updated, ObservedTensor joined,
                                         const FitCallbacks& callbacks = {});

}  // namespace lacuna
