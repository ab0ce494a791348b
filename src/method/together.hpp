// SPDX-License-Identifier: MIT
// Decisions that processes which run a fit together must all take alike, such as those by the clock.
#pragma once

#include <lacuna/method/fit_once.hpp>

#include "dist/communicator.hpp"
#include "model/journal.hpp"

namespace lacuna {

[[nodiscard]] inline const Communicator& everyone(const FitCallbacks& callbacks) {
  return callbacks.everyone != nullptr ? *callbacks.everyone : serial_communicator();
}
// Whether it is so on any of them.
[[nodiscard]] inline bool any_process(const FitCallbacks& callbacks, bool here) {
  return everyone(callbacks).any(here);
}
// A checkpoint that is closed on one process, because the user said stop there, is so on all.
inline void close_together(const FitCallbacks& callbacks) {
  Journal* const journal = journal_of(callbacks.checkpoint);
  if (journal != nullptr && any_process(callbacks, journal->closed())) journal->close();
}

// The parts that the settings name, or the paper's: what entries are shared out by.
[[nodiscard]] inline std::vector<PartSpec> parts_of(const Settings& settings, int order) {
  if (settings.latent.parts.open()) return full_parts(order);
  std::vector<PartSpec> specs;
  for (const PartOptions& part : *settings.latent.parts) specs.push_back(part.spec);
  return specs;
}

}  // namespace lacuna
