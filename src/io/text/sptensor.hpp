// SPDX-License-Identifier: MIT
// Tensor Toolbox text: "sptensor", order, sizes, count, then lines.
#pragma once

#include <lacuna/io/files.hpp>
#include <optional>
#include <string>

namespace lacuna::io {

Result<TensorFile> read_sptensor(const std::string& path, const ReadOptions& options);
Result<> write_sptensor(const std::string& path, const TensorFile& file);
// The line on which entry number `entry` (0-based) stands, found by reading the file again.
std::optional<Count> locate_sptensor_entry(const std::string& path, Count entry);

}  // namespace lacuna::io
