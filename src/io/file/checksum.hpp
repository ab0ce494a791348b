// SPDX-License-Identifier: MIT
// Which file was it?
#pragma once

#include <lacuna/base/base.hpp>
#include <string>

namespace lacuna {

// "crc32:89abcdef" of the file's bytes, as gzip -lv and the crc32 command print it. Empty for a pipe, which
// can be read only once.
[[nodiscard]] Result<std::string> file_checksum(const std::string& path);

}  // namespace lacuna
