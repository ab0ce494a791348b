// SPDX-License-Identifier: MIT
// How many ranks a method is told, of how many things.
#pragma once

#include <cstddef>
#include <lacuna/method/settings.hpp>
#include <string>
#include <vector>

namespace lacuna {

// The ranks given, or the method's own: one for all, or one for each of so many modes or parts ("modes"). Throws
// std::invalid_argument on another number of them, or one below 1.
[[nodiscard]] std::vector<int> ranks_for(const Settings& settings, std::size_t count,
                                         const std::string& what);
// Of parts: one for all, one for each of them, or one for each mode, which is that of the parts that learn it.
[[nodiscard]] std::vector<int> ranks_of_parts(const Settings& settings, const std::vector<PartOptions>& parts,
                                              int order);
// Of a method that has one.
[[nodiscard]] int one_rank(const Settings& settings);
// Whether these settings have a use for as many ranks as they give.
[[nodiscard]] bool takes_so_many_ranks(const Settings& settings, int order);

}  // namespace lacuna
