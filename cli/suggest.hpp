// SPDX-License-Identifier: MIT
// "did you mean": the name that a misspelt flag, key or verb was meant to be.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/nearest.hpp"

namespace lacuna::cli {

// What was wrong with a command line, what may have been meant, and where to read on. `first` is the first word
// of it, null when there is none.
[[nodiscard]] std::string complaint(const CLI::App& app, const CLI::ParseError& error, const char* first);

}  // namespace lacuna::cli
