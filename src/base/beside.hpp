// SPDX-License-Identifier: MIT
// Files that are installed with the program and used when they are needed: lacuna-formats, lacuna-mpi.so.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace lacuna {

// Where they are looked for: in $LACUNA_LIBEXEC if that is set, else beside the program or the library that asks, and
// where they were installed.
[[nodiscard]] std::vector<std::string> folders_beside();
// Where the file is. Outside of $LACUNA_LIBEXEC one that another user than root and the program's owner owns or can
// write to, or whose folder they can, is passed over.
[[nodiscard]] std::optional<std::string> find_beside(const std::string& name);

}  // namespace lacuna
