// SPDX-License-Identifier: MIT
// What a sum over processes sends, told before it is taken.
#pragma once

#include <cstdint>

namespace lacuna {

// Bytes that all of so many processes send together to sum a list of so many numbers, of so many bytes each.
[[nodiscard]] std::int64_t bytes_of_sum(std::int64_t numbers, std::int64_t bytes_of_number,
                                        std::int64_t processes);

}  // namespace lacuna
