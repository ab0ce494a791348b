// SPDX-License-Identifier: MIT
// Writing MATLAB files.
#pragma once

#include <lacuna/io/tensor_file.hpp>
#include <string>

#include "io/matlab/mat_variable.hpp"

namespace lacuna::io {

Result<> write_mat(const std::string& path, const TensorFile& file);
// One array as a version 7.3 file; `bytes` are first mode fastest.
Result<> write_mat73(const std::string& path, const MatVariable& variable, Bytes bytes);

}  // namespace lacuna::io
