// SPDX-License-Identifier: MIT
// ENVI cubes, row x column x band: a header (.hdr) beside a file of raw numbers, in any of their three orders.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>

namespace lacuna::io {

// By the name of either file. Wavelengths become positions of the bands, "data ignore value" is missing.
Result<TensorFile> read_envi(const std::string& path, const ReadOptions& options);

// Both files: NAME.hdr and NAME.img, or the raw file that `path` names and its header. What the header of the cube that
// was read says beyond sizes and layout is kept.
Result<> write_envi(const std::string& path, const TensorFile& file);
Result<> check_envi_shape(const std::string& path, const TensorFile& file);

// Is it the name of an ENVI file, by its ending?
[[nodiscard]] bool names_envi(const std::string& path);
// The file that is read or written besides the one that is named: the header or the numbers. Empty: there is none.
[[nodiscard]] std::string envi_file_read_with(const std::string& path);
[[nodiscard]] std::string envi_file_written_with(const std::string& path);

}  // namespace lacuna::io
