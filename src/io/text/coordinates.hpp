// SPDX-License-Identifier: MIT
// Positions of a mode's indices, from a file of their own.
#pragma once

#include <lacuna/io/files.hpp>

namespace lacuna::io {

// Gives the modes of a file that was read the positions that options.coordinates ask for. A sparse file's mode
// without labels becomes as large as its list of positions.
//
// With known modes only indices that the model lacks can still be given a position: those it has must have the
// same one. Entries at indices that the model lacks then get coordinates, NaN where the position is not known.
Result<> place_modes(const ReadOptions& options, TensorFile& file);

}  // namespace lacuna::io
