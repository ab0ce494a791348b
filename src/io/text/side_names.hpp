// SPDX-License-Identifier: MIT
// What the readers of side information share: new positions of a mode, and text of any encoding.
#pragma once

#include <lacuna/base/base.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::io {

// Adds positions to the end of the mode: these labels, in their canonical order, with `position` renumbered, or,
// where it has none, as many as the largest number in `position` asks for. Returns how many.
Result<Index> grow_mode(const std::string& path, std::vector<std::string> labels,
                        std::vector<Index>& position, Mode& mode);

// "'u7'", or "position 7".
[[nodiscard]] std::string position_name(const Mode& mode, Index position, int index_base);

// Text that is not UTF-8 is taken for Latin-1.
[[nodiscard]] std::string to_utf8(std::string_view text);

}  // namespace lacuna::io
