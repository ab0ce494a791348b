// SPDX-License-Identifier: MIT
// Writing wide tables, which have one mode across their columns.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>

namespace lacuna::io {

// Entries that are still where a wide table had them are written into its own lines: what has not changed stays byte for
// byte. Others make a line for each position along the other modes, in order, with nothing for cells not listed.
Result<> write_wide_table(const std::string& path, const TensorFile& file);

}  // namespace lacuna::io
