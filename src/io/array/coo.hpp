// SPDX-License-Identifier: MIT
// Lists of cells as array formats store them -> a sparse TensorFile.
#pragma once

#include <cstdint>
#include <lacuna/io/files.hpp>
#include <string>
#include <vector>

namespace lacuna::io {

struct CooList {
  Format format = Format::kNpz;
  std::vector<std::uint64_t> shape;  // as the file states it
  Entries entries;                   // positions counted from 0, within `shape`
  int index_base = 0;                // in which the format's users count
};

// Applies the options (shape, known modes). An infinite value is an error. The format fixes the index base,
// so options.index_base does not matter here.
Result<TensorFile> coo_file(const std::string& path, CooList list, const ReadOptions& options);

}  // namespace lacuna::io
