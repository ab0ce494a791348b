// SPDX-License-Identifier: MIT
// Files of other programs that hold data and are neither read nor written here: what they are is told, instead of what
// their bytes would be as text.
#pragma once

#include <string>
#include <string_view>

namespace lacuna::io {

// What the ending of a name says: "an Excel workbook"; empty where it says nothing of the kind.
[[nodiscard]] std::string_view foreign_ending(const std::string& path);

// What the first bytes of a file say, of which 64 are enough.
[[nodiscard]] std::string_view foreign_bytes(std::string_view head);

}  // namespace lacuna::io
