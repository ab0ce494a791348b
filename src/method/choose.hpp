// SPDX-License-Identifier: MIT
// Parts and offsets chosen from the data: fiber statistics first, then what pays on a held-out tenth.
#pragma once

#include <lacuna/method/fit.hpp>

namespace lacuna {

// The options with auto_parts and auto_offsets replaced by what was chosen. At most a few fits' worth of
// work: each trial is kTrialSteps steps long, there are about ten of them at three modes.
[[nodiscard]] FitOptions choose_structure(const ObservedTensor& tensor, const FitOptions& options,
                                          const FitCallbacks& callbacks);

}  // namespace lacuna
