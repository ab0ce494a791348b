// SPDX-License-Identifier: MIT
// What every flag that takes a list has in common: CLI11 goes on taking words until the next flag, and so takes the
// name of a file that follows.
#pragma once

#include <CLI/CLI.hpp>

namespace lacuna::cli {

// Has each flag of each verb that takes a list take one word at a time, but for tune's grids, which are lists of lists.
void take_one_word(CLI::App& app);

}  // namespace lacuna::cli
