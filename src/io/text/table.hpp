// SPDX-License-Identifier: MIT
// Reading tables: CSV, TSV, MovieLens files, knowledge-graph triples.
#pragma once

#include <lacuna/io/files.hpp>
#include <optional>
#include <span>
#include <string>

#include "dist/communicator.hpp"
#include "io/text/text_ranges.hpp"

namespace lacuna::io {

// A file, or a folder of them that are laid out alike, each process some of its lines; of a wide table all of them.
Result<Reading> read_table(const std::string& path, const ReadOptions& options, const Communicator& everyone);
// Where entry number `entry` (0-based) of these ranges stands, "path:line", found by reading them again.
std::optional<std::string> locate_table_entry(const std::string& path, std::span<const TextRange> ranges,
                                              const ReadOptions& options, Count entry);

}  // namespace lacuna::io
