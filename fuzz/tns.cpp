// SPDX-License-Identifier: MIT
// Sparse text, plain or gzipped: what is read and written again reads the same.
#include "mutate.hpp"
#include "support.hpp"

using namespace lacuna;

constexpr std::size_t kOptionBytes = 3;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  FuzzedDataProvider input(data, size);
  ReadOptions options{.format = Format::kTns};
  if (const int base = input.ConsumeIntegralInRange(0, 2); base > 0) options.index_base = base - 1;
  if (input.ConsumeBool()) options.shape = {9, 8, 7};
  if (const auto file = fuzz::read_and_check(input, memory, options))
    fuzz::write_and_read(*file, memory, {.format = Format::kTns, .index_base = file->index_base});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  return fuzz::mutate_file(data, size, most, seed, kOptionBytes, fuzz::change_gzip);
}
