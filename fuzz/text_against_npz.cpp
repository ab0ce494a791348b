// SPDX-License-Identifier: MIT
// The same tensor as text and as an archive of arrays: both readers see the same cells and numbers.
#include "io/array/npz.hpp"
#include "io/array/npz_write.hpp"
#include "support.hpp"

using namespace lacuna;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  FuzzedDataProvider input(data, size);
  ReadOptions options;
  options.format = input.PickValueInArray({Format::kTns, Format::kSptensor, Format::kTable});
  options.table_indices = options.format == Format::kTable;
  const auto text = fuzz::read_and_check(input, memory, options);
  if (!text) return 0;
  memory.clear();
  if (const auto written = io::write_npz(memory.path(), *text); !written) {
    fuzz::check(written.error());
    return 0;
  }
  const auto archive = io::read_npz(memory.path(), {.format = Format::kNpz});
  fuzz::require(archive.ok(), "the archive cannot be read: " + (archive ? "" : archive.error().message()));
  fuzz::check(*archive);
  fuzz::require(extents(archive->modes) == extents(text->modes), "text and archive differ in sizes");
  fuzz::require(archive->entries.cells == text->entries.cells, "text and archive differ in cells");
  fuzz::require(fuzz::same_numbers(archive->entries.value, text->entries.value),
                "text and archive differ in numbers");
  return 0;
}
