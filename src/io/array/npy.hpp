// SPDX-License-Identifier: MIT
// numpy's .npy: one dense array.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>

#include "dist/communicator.hpp"
#include "io/text/text_ranges.hpp"

namespace lacuna::io {

// Of several processes each lists some of the cells; all where there is a mask or a model's modes.
Result<Reading> read_npy(const std::string& path, const ReadOptions& options, const Communicator& everyone);
Result<> write_npy(const std::string& path, const TensorFile& file);

}  // namespace lacuna::io
