// SPDX-License-Identifier: MIT
// Decisions that processes which run a fit together must all take alike, such as those by the clock.
#pragma once

#include <algorithm>
#include <lacuna/method/fit_once.hpp>
#include <span>

#include "dist/communicator.hpp"
#include "model/journal.hpp"

namespace lacuna {

[[nodiscard]] inline const Communicator& everyone(const FitCallbacks& callbacks) {
  return callbacks.everyone != nullptr ? *callbacks.everyone : serial_communicator();
}
// Those that have some of the entries each: this process alone where it has all of them.
[[nodiscard]] inline const Communicator& sharers(const FitCallbacks& callbacks) {
  return callbacks.shared ? everyone(callbacks) : serial_communicator();
}
// is_binary() of the values of all processes.
[[nodiscard]] inline bool are_binary(std::span<const double> values, const Communicator& sharers) {
  const auto has = [&](auto&& kind) { return sharers.any(std::any_of(values.begin(), values.end(), kind)); };
  return !has([](double y) { return y != 0.0 && y != 1.0; }) && has([](double y) { return y == 0.0; }) &&
         has([](double y) { return y == 1.0; });
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
