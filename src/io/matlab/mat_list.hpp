// SPDX-License-Identifier: MIT
// A MATLAB matrix whose rows are entries: columns of indices and one of values.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>

#include "io/matlab/mat_variable.hpp"

namespace lacuna::io {

// The value is in the last column, or where the options' column numbers say. Messages speak of
// path:row:column.
Result<TensorFile> mat_list(const std::string& path, const MatContent& content, const ReadOptions& options);

}  // namespace lacuna::io
