// SPDX-License-Identifier: MIT
// What every flag that takes a number has in common: CLI11 takes NaN and Inf, wraps -1 into the largest number
// that has no sign, and reads 010 as 8.
#pragma once

#include <CLI/CLI.hpp>

namespace lacuna::cli {

// Adds to each flag of each verb that takes a number a check that it is one: finite, and in the range of its
// type.
void check_numbers(CLI::App& app);

}  // namespace lacuna::cli
