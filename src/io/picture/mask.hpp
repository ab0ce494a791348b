// SPDX-License-Identifier: MIT
// Pictures and arrays that say which cells of another one are observed.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>
#include <vector>

namespace lacuna::io {

// Makes the cells of `value` NaN that options.mask says are missing. The mask has the same shape, or that of
// the first modes: one row x column picture serves all channels of a picture and all frames of a video.
Result<> apply_mask(const std::string& path, const std::vector<Index>& shape, const ReadOptions& options,
                    std::vector<double>& value);

}  // namespace lacuna::io
