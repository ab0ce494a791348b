// SPDX-License-Identifier: MIT
// NetCDF, HDF5 and TIFF files: dense arrays that the program lacuna-formats reads and writes.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>

namespace lacuna::io {

Result<TensorFile> read_with_formats(Format format, const std::string& path, const ReadOptions& options);

// A file of the format and shape that `file` came from is copied, and gets other numbers: what else it holds is
// kept. Anything else becomes a new file.
// Row x column, row x column x band, or pages of these.
Result<> check_tiff_shape(const std::string& path, const TensorFile& file);
Result<> write_with_formats(Format format, const std::string& path, const TensorFile& file);

}  // namespace lacuna::io
