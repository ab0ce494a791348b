// SPDX-License-Identifier: MIT
// What the helper program for HDF5 and its kin says to us: it may have been taken over by the file it read.
#include "io/child/wire.hpp"

#include <fcntl.h>
#include <unistd.h>

#include "support.hpp"

using namespace lacuna;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  memory.fill({data, size});
  const int file = open(memory.path().c_str(), O_RDONLY | O_CLOEXEC);
  fuzz::require(file >= 0, "the memory file cannot be opened");
  io::WireReader reader(file);
  nlohmann::json header;
  if (reader.header(header)) {
    bool fine = true;
    for (const std::uint64_t count : reader.arrays()) {
      if (!fine || count > size) break;  // the caller holds sizes against memory
      std::vector<double> numbers(count);
      fine = reader.numbers(numbers);
    }
    if (fine) (void)reader.complete();
  }
  close(file);
  return 0;
}
