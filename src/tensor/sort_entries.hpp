// SPDX-License-Identifier: MIT
// The steps from a list of entries to canonical order.
#pragma once

#include <lacuna/tensor/tensor.hpp>
#include <vector>

namespace lacuna {

// An error unless values are finite or NaN and weights numbers >= 0.
Result<> check_numbers(const std::vector<Mode>& modes, const Entries& entries);

// Removes entries of value NaN or weight 0 in place, keeping the order; returns how many there were.
// `dropped`, if given, receives their positions, ascending.
Count drop_missing(Entries& entries, std::vector<Index>* dropped = nullptr);

// What is wrong when none is left.
[[nodiscard]] Error nothing_observed(bool had_entries, bool weighted);

struct Sorted {
  Count merged = 0;  // entries that went into an earlier one
  // The first entry, as sorted, of the cell of the one before: the policy refuses it; -1: none.
  Count second = -1;
  std::vector<Index> order{};  // then: where the sorted entries were
};

// Sorts the entries and merges those of one cell.
Sorted sort_entries(Entries& entries, Duplicates policy);

}  // namespace lacuna
