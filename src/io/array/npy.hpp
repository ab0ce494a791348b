// SPDX-License-Identifier: MIT
// numpy's .npy: one dense array.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>

namespace lacuna::io {

Result<TensorFile> read_npy(const std::string& path, const ReadOptions& options);
Result<> write_npy(const std::string& path, const TensorFile& file);

}  // namespace lacuna::io
