// SPDX-License-Identifier: MIT
// Tensor Toolbox's text: what is read and written again reads the same.
#include "support.hpp"

using namespace lacuna;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  FuzzedDataProvider input(data, size);
  const ReadOptions options{.format = Format::kSptensor};
  if (const auto file = fuzz::read_and_check(input, memory, options))
    fuzz::write_and_read(*file, memory, options);
  return 0;
}
