// SPDX-License-Identifier: MIT
// Reading MATLAB files of any version.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>

namespace lacuna::io {

Result<TensorFile> read_mat(const std::string& path, const ReadOptions& options);

}  // namespace lacuna::io
