// SPDX-License-Identifier: MIT
// Reading tables: CSV, TSV, MovieLens files, knowledge-graph triples.
#pragma once

#include <lacuna/io/files.hpp>
#include <optional>
#include <string>

namespace lacuna::io {

Result<TensorFile> read_table(const std::string& path, const ReadOptions& options);
// The line on which entry number `entry` (0-based) stands, found by reading the file again.
std::optional<Count> locate_table_entry(const std::string& path, const ReadOptions& options, Count entry);

}  // namespace lacuna::io
