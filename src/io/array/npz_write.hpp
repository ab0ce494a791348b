// SPDX-License-Identifier: MIT
// Writing numpy's .npz.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>

namespace lacuna::io {

Result<> write_npz(const std::string& path, const TensorFile& file);  // COO, or dense when file.dense

}  // namespace lacuna::io
