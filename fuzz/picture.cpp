// SPDX-License-Identifier: MIT
// PNG, JPEG and BMP.
#include "mutate.hpp"
#include "support.hpp"

using namespace lacuna;

constexpr std::size_t kOptionBytes = 1;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  FuzzedDataProvider input(data, size);
  (void)fuzz::read_and_check(input, memory, {.format = Format::kPicture});
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  const bool png = size > 4 && data[0] == 0x89 && data[1] == 'P';
  return fuzz::mutate_file(
      data, size, most, seed, kOptionBytes,
      png ? fuzz::change_png
          : [](fuzz::Bytes& file, std::size_t room, fuzz::Random&) { fuzz::mutate_bytes(file, room); });
}
