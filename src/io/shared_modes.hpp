// SPDX-License-Identifier: MIT
// Two modes of one set of things, such as the heads and tails of links: one list of labels for both, so that a position
// means the same along either.
#pragma once

#include <lacuna/io/files.hpp>

namespace lacuna::io {

// As ReadOptions::same says; else, of a table of facts whose labels are words, two modes most of whose labels are the
// same; else, of a file about a model's modes, those that share their positions there.
Result<> share_modes(const std::string& path, const ReadOptions& options, TensorFile& file);

}  // namespace lacuna::io
