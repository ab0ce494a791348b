// SPDX-License-Identifier: MIT
// MATLAB's version 5 and 7, which our own code reads. Other versions go to libmatio and are left out.
#include "io/matlab/mat5.hpp"

#include "mutate.hpp"
#include "support.hpp"

using namespace lacuna;

constexpr std::size_t kOptionBytes = 3;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  FuzzedDataProvider input(data, size);
  ReadOptions options{.format = Format::kMat};
  options.variable = input.PickValueInArray({"", "", "x", "data.x"});
  options.table_indices = input.ConsumeBool();
  memory.fill({data, size});
  const auto file = io::ByteFile::open(memory.path());
  if (!file || !io::is_mat5(*file)) return 0;
  (void)fuzz::read_and_check(input, memory, options);
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  return fuzz::mutate_file(data, size, most, seed, kOptionBytes, fuzz::change_mat5);
}
