// SPDX-License-Identifier: MIT
// Writing tables.
#pragma once

#include <lacuna/io/tensor_file.hpp>
#include <string>

namespace lacuna::io {

Result<> write_table(const std::string& path, const TensorFile& file);

}  // namespace lacuna::io
