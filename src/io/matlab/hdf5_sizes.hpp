// SPDX-License-Identifier: MIT
// What an HDF5 file says it holds, asked of the file's own tables before anything is unpacked.
#pragma once

#include <lacuna/base/result.hpp>

#include "io/file/byte_file.hpp"

namespace lacuna::io {

// An error when the datasets claim more numbers than the file's bytes can hold even when packed as tightly as
// deflate can. HDF5 itself fills what was never written with zeros, gigabytes of them if asked.
Result<> check_hdf5_sizes(const ByteFile& file);

}  // namespace lacuna::io
