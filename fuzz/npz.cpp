// SPDX-License-Identifier: MIT
// numpy's archives: dense arrays and lists of entries.
#include "mutate.hpp"
#include "support.hpp"

using namespace lacuna;

constexpr std::size_t kOptionBytes = 2;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  FuzzedDataProvider input(data, size);
  ReadOptions options{.format = Format::kNpz};
  options.variable = input.PickValueInArray({"", "", "x", "data"});
  (void)fuzz::read_and_check(input, memory, options);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  return fuzz::mutate_file(data, size, most, seed, kOptionBytes, fuzz::change_zip);
}
