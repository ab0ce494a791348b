// SPDX-License-Identifier: MIT
// The name that a misspelt word was meant to be.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna {

// Letters to insert, remove, replace, or swap with their neighbour, to make one word of the other.
[[nodiscard]] int edit_distance(std::string_view a, std::string_view b);

// The nearest of the names, the first of equals; none when all are too far to be what was meant. A word that
// one name begins with is near, however short it is.
[[nodiscard]] std::optional<std::string> nearest(std::string_view word,
                                                 const std::vector<std::string>& names);

}  // namespace lacuna
