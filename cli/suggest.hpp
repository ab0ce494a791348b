// SPDX-License-Identifier: MIT
// "did you mean": the name that a misspelt flag, key or verb was meant to be.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::cli {

// Letters to insert, remove, replace, or swap with their neighbour, to make one word of the other.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

// The nearest of the names, the first of equals; none when all are too far to be what was meant. A word that
// one name begins with is near, however short it is.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string>& names);

// What was wrong with a command line, what may have been meant, and where to read on. `first` is the first word
// of it, null when there is none.
[[nodiscard]] std::string complaint(const CLI::App& app, const CLI::ParseError& error, const char* first);

}  // namespace lacuna::cli
