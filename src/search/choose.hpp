// SPDX-License-Identifier: MIT
// Parts, offsets, lambda and rank chosen from the data: fiber statistics first, then what pays on a held-out
// tenth.
#pragma once

#include <lacuna/method/fit.hpp>
#include <optional>

namespace lacuna {

[[nodiscard]] bool leaves_a_choice(const FitOptions& options);

struct Choice {
  FitOptions options;          // nothing in it is automatic any more
  std::optional<Model> start;  // factors of these ranks to start from
};

// At most a few fits' worth of work: each trial is a few steps long, and there are about ten of them for each
// thing to choose.
[[nodiscard]] Choice choose(const ObservedTensor& tensor, const FitOptions& options,
                            const FitCallbacks& callbacks);

}  // namespace lacuna
