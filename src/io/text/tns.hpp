// SPDX-License-Identifier: MIT
// FROSTT's sparse text: "i j k value" lines.
#pragma once

#include <lacuna/io/files.hpp>
#include <optional>
#include <span>
#include <string>

#include "dist/communicator.hpp"
#include "io/text/text_ranges.hpp"

namespace lacuna::io {

// A file, or a folder of them, each process some of its lines.
Result<Reading> read_tns(const std::string& path, const ReadOptions& options, const Communicator& everyone);
Result<> write_tns(const std::string& path, const TensorFile& file);  // packed as the name asks
// Where entry number `entry` (0-based) of these ranges stands, "path:line", found by reading them again.
std::optional<std::string> locate_tns_entry(std::span<const TextRange> ranges, Count entry);

}  // namespace lacuna::io
