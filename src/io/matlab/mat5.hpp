// SPDX-License-Identifier: MIT
// Version 5 (and 7, which packs the variables): read by our own code, which checks every length in the file.
#pragma once

#include <lacuna/base/base.hpp>
#include <string>

#include "io/matlab/mat_variable.hpp"

namespace lacuna::io {

[[nodiscard]] bool is_mat5(const ByteFile& file);
Result<std::vector<MatVariable>> list_mat5(const ByteFile& file);
Result<MatContent> load_mat5(const ByteFile& file, const std::string& name);

}  // namespace lacuna::io
