// SPDX-License-Identifier: MIT
// numpy's dense arrays.
#include "support.hpp"

using namespace lacuna;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  FuzzedDataProvider input(data, size);
  ReadOptions options{.format = Format::kNpy};
  if (input.ConsumeBool()) options.missing_value = 0.0;
  (void)fuzz::read_and_check(input, memory, options);
  return 0;
}
