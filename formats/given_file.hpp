// SPDX-License-Identifier: MIT
// New files that their library makes in memory, and that are then written as they are: HDF5, and NetCDF with it, opens
// files by names that lead somewhere, and a new file has none (AtomicFile::place_for_program).
#pragma once

#include <cstddef>
#include <lacuna/base/base.hpp>
#include <string>

#include "request.hpp"

namespace lacuna::formats {

// What is larger is written by the library itself.
[[nodiscard]] bool fits_in_memory(const ArrayToWrite& array);

class GivenFile {
 public:
  explicit GivenFile(const std::string& path);  // which exists; opened at once
  GivenFile(const GivenFile&) = delete;
  GivenFile& operator=(const GivenFile&) = delete;
  ~GivenFile();

  Result<> store(const void* data, std::size_t bytes) const;

 private:
  int file_;
};

// What the system said last, as the end of a sentence: ": File too large". Nothing where it said nothing.
[[nodiscard]] std::string system_reason();

}  // namespace lacuna::formats
