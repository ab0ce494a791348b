// SPDX-License-Identifier: MIT
// The line on which a text file's entry number `entry` (0-based) stands, found by reading the file again.
#pragma once

#include <lacuna/io/tensor_file.hpp>
#include <optional>
#include <string>

namespace lacuna::io {

std::optional<Count> locate_tns_entry(const std::string& path, Count entry);
std::optional<Count> locate_sptensor_entry(const std::string& path, Count entry);
std::optional<Count> locate_table_entry(const std::string& path, const ReadOptions& options, Count entry);

}  // namespace lacuna::io
