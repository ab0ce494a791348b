// SPDX-License-Identifier: MIT
// Writing tables.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>
#include <string_view>

namespace lacuna::io {

// The field as a reader will take it back: in quotes when it holds the delimiter, a quote, a line break, or blanks
// that would be taken off.
[[nodiscard]] std::string table_field(std::string_view text, std::string_view delimiter);

Result<> write_table(const std::string& path, const TensorFile& file);

}  // namespace lacuna::io
