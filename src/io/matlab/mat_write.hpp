// SPDX-License-Identifier: MIT
// Writing MATLAB files.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>

namespace lacuna::io {

Result<> write_mat(const std::string& path, const TensorFile& file);

}  // namespace lacuna::io
