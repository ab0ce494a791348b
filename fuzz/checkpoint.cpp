// SPDX-License-Identifier: MIT
// Checkpoint files: what is loaded is saved and loaded again without a bit changed, and a small fit goes on from it or says
// why not. The journal is taken for one of that fit, whatever it says.
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/search/fit.hpp>

#include "model/journal.hpp"
#include "mutate.hpp"
#include "support.hpp"

using namespace lacuna;

namespace {

ObservedTensor small_tensor() {
  Entries entries{.cells = Cells(3), .value = {}};
  for (Index i = 0; i < 4; ++i)
    for (Index j = 0; j < 3; ++j)
      for (Index k = 0; k < 2; ++k) {
        if ((i + j + k) % 3 == 0) continue;
        entries.cells.add({i, j, k});
        entries.value.push_back(static_cast<double>((i + 1) * (j + 2) + k));
      }
  return std::move(*ObservedTensor::create(
      {{.name = "a", .size = 4}, {.name = "b", .size = 3}, {.name = "c", .size = 2}}, std::move(entries)));
}

FitResult small_fit(Checkpoint& checkpoint) {
  Settings settings{.method = Method::kTrMm, .offsets = OffsetSpec{}, .ranks = {1}, .lambda = 1.0};
  settings.max_iterations = 2;
  settings.search.early_stop = 0.0;
  FitCallbacks callbacks;
  callbacks.checkpoint = &checkpoint;
  return fit(small_tensor(), settings, callbacks);
}

Journal::About about_small_fit() {
  Checkpoint checkpoint;
  (void)small_fit(checkpoint);
  return checkpoint.journal().about();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  memory.fill({data, size});
  Checkpoint checkpoint;
  if (const auto loaded = load_checkpoint(memory.path(), checkpoint); !loaded) {
    fuzz::check(loaded.error());
    return 0;
  }
  memory.clear();
  fuzz::require(save_checkpoint(memory.path(), checkpoint).ok(),
                "a checkpoint that was loaded cannot be saved");
  const auto saved = memory.bytes();
  Checkpoint again;
  fuzz::require(load_checkpoint(memory.path(), again).ok(), "a checkpoint that was saved cannot be loaded");
  memory.clear();
  fuzz::require(save_checkpoint(memory.path(), again).ok() && memory.bytes() == saved,
                "a checkpoint changes when it is saved and loaded");
  static const Journal::About about = about_small_fit();
  // Of this fit, whatever the file says it is of.
  checkpoint.journal().load("", about, checkpoint.journal().items());
  try {
    (void)small_fit(checkpoint);
  } catch (const CheckpointError&) {
  } catch (const ValueRangeError&) {
  }
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  return fuzz::mutate_file(data, size, most, seed, 0, fuzz::change_model);
}
