// SPDX-License-Identifier: MIT
// What a fit finds out about the values before it begins, where processes share the entries.
#pragma once

#include <lacuna/model/model.hpp>
#include <lacuna/model/structure.hpp>

#include "dist/communicator.hpp"
#include "model/value_kind.hpp"

namespace lacuna {

inline constexpr int kOffsetSweeps = 40;  // at most, of an offset that is fitted for its own sake

// As fit_offsets() of one process; the result is the same on all.
[[nodiscard]] Offsets fit_shared_offsets(const ObservedTensor& tensor, const OffsetSpec& spec, int sweeps,
                                         const Communicator& everyone);

// Of the values of all processes.
[[nodiscard]] ValueKind shared_value_kind(std::span<const double> values, const Communicator& everyone);
// The smallest and the largest; some process has one.
[[nodiscard]] Range shared_range(std::span<const double> values, const Communicator& everyone);

// The dual of a latent body is over the entries that this process has. Afterwards the first process, or everyone, has
// that of all, and the model is what one process would have fitted; where it is the first alone, others have nothing of it.
enum class GatherTo { kFirst, kEveryone };
void gather_dual(const Communicator& everyone, Model& model, GatherTo to);

}  // namespace lacuna
