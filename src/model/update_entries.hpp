// SPDX-License-Identifier: MIT
// The entries of a model and new ones while it is updated, for all that is solved for.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <optional>
#include <vector>

#include "base/rng.hpp"

namespace lacuna {

struct JoinedEntries {
  ObservedTensor tensor;
  std::vector<Index> old_of;   // of each entry the one that the model was fitted on, or kUnseen
  std::vector<char> is_fresh;  // not there before, or with another value
};

// `old_value`: the numbers with which the old entries went into the joined ones; both are in canonical order.
[[nodiscard]] JoinedEntries compared(ObservedTensor joined, const ObservedTensor& old,
                                     const std::vector<double>& old_value);

struct UpdateEntries {
  std::vector<Index> fresh{};      // the new entries, by number
  std::vector<char> is_fresh{};    // of each entry
  std::vector<double> weight{};    // of each entry
  std::vector<double> residual{};  // of each new entry, in the order of `fresh`
  std::vector<char> held{};        // likewise: held out, not solved for

  // Without residuals, nothing held out.
  UpdateEntries() = default;
  explicit UpdateEntries(const JoinedEntries& joined);

  // That share of the new entries, any of them as likely as any other.
  void hold_out(double share, Rng& rng);
  [[nodiscard]] Count held_out() const;
  // What is left of those.
  [[nodiscard]] std::vector<double> left_of_held() const;
};

// Nothing without any.
[[nodiscard]] std::optional<double> root_mean_square(const std::vector<double>& values);

// What is known is solved for when it has so many new entries for each that it was fitted on.
inline constexpr double kNewShare = 0.1;
// At most so many turns over all that is solved for, of which one is the last that changes the new entries by less than
// this share of what is left of them.
inline constexpr int kUpdateSweeps = 12;
inline constexpr double kEnoughOfUpdate = 1e-2;

}  // namespace lacuna
