// SPDX-License-Identifier: MIT
// Which mode the entries are cut along for a fit with certain parts, and where each part is then made: found
// by counting, before anything is dealt out (layouts.hpp).
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <span>
#include <vector>

#include "dist/communicator.hpp"
#include "kernels/layouts.hpp"

namespace lacuna {

// Of these parts, by their place in the list, these many entries on each process.
struct PlannedLayout {
  Cuts cuts;
  std::vector<std::size_t> parts;
};

// The first is where the entries are, with the parts that have their fibers whole there; the others have a
// part at least.
using SharePlan = std::vector<PlannedLayout>;

// That for which the parts' products take the least, counted in entries that a process visits, sends and gets
// back. From any disjoint portions of the entries; called by all processes.
[[nodiscard]] SharePlan plan_shares(const ObservedTensor& portion, std::span<const PartSpec> parts,
                                    const Communicator& everyone);

// This process's share of the entries for a fit with these parts, from any disjoint portions of them: the
// first layout of their plan.
[[nodiscard]] ObservedTensor take_share(const ObservedTensor& portion, std::span<const PartSpec> parts,
                                        const Communicator& everyone);
// This process's portion of entries that every process has all of: as many to each, in their order.
[[nodiscard]] ObservedTensor portion_of_whole(const ObservedTensor& whole, const Communicator& everyone);
// take_share() where every process has all entries.
[[nodiscard]] ObservedTensor take_share_of_whole(const ObservedTensor& whole, std::span<const PartSpec> parts,
                                                 const Communicator& everyone);

}  // namespace lacuna
