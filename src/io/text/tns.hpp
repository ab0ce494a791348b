// SPDX-License-Identifier: MIT
// FROSTT's sparse text: "i j k value" lines.
#pragma once

#include <lacuna/io/files.hpp>
#include <optional>
#include <string>

namespace lacuna::io {

Result<TensorFile> read_tns(const std::string& path, const ReadOptions& options);
Result<> write_tns(const std::string& path, const TensorFile& file);  // packed as the name asks
// The line on which entry number `entry` (0-based) stands, found by reading the file again.
std::optional<Count> locate_tns_entry(const std::string& path, Count entry);

}  // namespace lacuna::io
