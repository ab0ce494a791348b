// SPDX-License-Identifier: MIT
// UTF-8, and how text is quoted in messages.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace lacuna {

[[nodiscard]] bool is_utf8(std::string_view text);

// The text in quotes as messages show it: shortened when longer than `characters`, odd bytes as \xNN.
[[nodiscard]] std::string quoted(std::string_view text, std::size_t characters = 40);

}  // namespace lacuna
