// SPDX-License-Identifier: MIT
// ObservedTensor::create() where each process has some of the entries: sorted, and cells that are listed more
// than once found, whoever read them.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <vector>

#include "dist/communicator.hpp"

namespace lacuna {

// A tensor whose entries are on several processes, each of them on one.
struct SpreadTensor {
  ObservedTensor tensor{};  // what this process has
  // Of all processes:
  Count entries = 0;
  Count missing = 0;
  Count duplicates = 0;
  double weight = 0.0;  // of the entries; their number where they have none
};

// Entries go to the process that a hash of their cell names, about as many to each. Called by all processes,
// which get the same error; where a cell is listed twice, `repeated` is that cell, the first in canonical
// order.
Result<SpreadTensor> observe_together(const std::vector<Mode>& modes, Entries entries, Duplicates duplicates,
                                      const Communicator& everyone, std::vector<Index>& repeated);

// All entries, on every process.
[[nodiscard]] ObservedTensor gather_entries(const ObservedTensor& mine, const Communicator& everyone);

}  // namespace lacuna
