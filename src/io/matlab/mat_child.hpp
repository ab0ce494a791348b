// SPDX-License-Identifier: MIT
// MATLAB files of version 4 and 7.3 (HDF5): read and written by the program lacuna-formats.
#pragma once

#include <lacuna/base/base.hpp>
#include <string>

#include "io/matlab/mat_variable.hpp"

namespace lacuna::io {

Result<std::vector<MatVariable>> list_mat_child(const ByteFile& file);
Result<MatContent> load_mat_child(const ByteFile& file, const MatVariable& variable);
// One array as a version 7.3 file, which has no limit of 2 GB; `bytes` are first mode fastest.
Result<> write_mat73(const std::string& path, const MatVariable& variable, const Bytes& bytes);

}  // namespace lacuna::io
