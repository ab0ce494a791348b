// SPDX-License-Identifier: MIT
// Versions 4 and 7.3 (HDF5): through libmatio.
#pragma once

#include <lacuna/base/result.hpp>
#include <string>

#include "io/matlab/mat_variable.hpp"

namespace lacuna::io {

Result<std::vector<MatVariable>> list_matio(const ByteFile& file);
Result<MatContent> load_matio(const ByteFile& file, const std::string& name);
// One array as a version 7.3 file, which has no limit of 2 GB; `bytes` are first mode fastest. A failure
// leaves a half-written file, which write_mat73 does not.
Result<> write_matio(const std::string& path, const MatVariable& variable, Bytes bytes);

}  // namespace lacuna::io
