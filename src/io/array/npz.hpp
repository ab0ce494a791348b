// SPDX-License-Identifier: MIT
// Reading numpy's .npz.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>

namespace lacuna::io {

Result<TensorFile> read_npz(const std::string& path, const ReadOptions& options);

}  // namespace lacuna::io
