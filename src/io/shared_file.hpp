// SPDX-License-Identifier: MIT
// A file that several processes read together. .tns files and tables, and folders of these, are divided by their bytes,
// .npy files by their cells; of what cannot be divided every process reads all and keeps some.
#pragma once

#include <functional>
#include <lacuna/io/files.hpp>
#include <string>

#include "dist/communicator.hpp"

namespace lacuna {

struct SharedFile {
  // Everyone's modes and index base, and this process's entries. Those of all processes, by rank, are the file's in its
  // order. `missing` is of this process's.
  TensorFile file{};
  // Where one of this process's entries stands, as locate_entry() says it.
  std::function<std::string(Count)> locate{};
};

// As read_tensor(). Called by all processes, which get the same error: the first in the file.
Result<SharedFile> read_shared(const std::string& path, const ReadOptions& options,
                               const Communicator& everyone);

}  // namespace lacuna
