// SPDX-License-Identifier: MIT
// The state of a tuning run: it is taken up or refused with a sentence, and what is added to it is there next time.
// The seed is what the run writes itself; the empty input stands for it, too.
#include "tune_state.hpp"

#include <algorithm>

#include "dist/communicator.hpp"
#include "method/saved_fit.hpp"
#include "mutate.hpp"
#include "support.hpp"

using namespace lacuna;
using fuzz::Bytes;

namespace {

ObservedTensor small_tensor() {
  Entries entries{.cells = {{0, 1, 2, 0}, {0, 0, 1, 1}}, .value = {1.0, 2.0, 3.0, 4.0}};
  return std::move(
      *ObservedTensor::create({{.name = "a", .size = 3}, {.name = "b", .size = 2}}, std::move(entries)));
}

// The one tuning run of this target.
struct Run {
  ObservedTensor tensor = small_tensor();
  std::string about = checksum_text(tensor, serial_communicator());
  TuneCandidate candidate{.name = "tr-mm \xff", .options = {}};
  TuneOptions options;

  Run() { options.folds = 3; }
  [[nodiscard]] Result<cli::TuneState> open(const fuzz::MemoryFile& memory) const {
    return cli::TuneState::open(memory.path(), about, tensor.modes(), options);
  }
};

const Run& run() {
  static const Run only;
  return only;
}

// What the run itself writes: its first line is never one of an older version.
const Bytes& own_file() {
  static const Bytes file = [] {
    fuzz::MemoryFile memory;
    auto state = run().open(memory);
    fuzz::require(state.ok(), "an empty file is refused");
    for (int fold = 0; fold < 2; ++fold) state->add(run().candidate, 0.5, fold, 0.25);
    fuzz::require(state->finish().ok(), "a new state cannot be added to");
    return memory.bytes();
  }();
  return file;
}

bool open_and_add(std::span<const std::uint8_t> data, fuzz::MemoryFile& memory) {
  memory.fill(data);
  {
    auto state = run().open(memory);
    if (!state) {
      fuzz::check(state.error());
      return false;
    }
    (void)state->find(run().candidate, 0.5, 2);
    state->add(run().candidate, 0.25, 1, 0.125);
    fuzz::require(state->finish().ok() && !state->failed(), "a state that cannot be added to");
  }
  const auto again = run().open(memory);
  fuzz::require(again.ok(), "a state that was added to cannot be opened");
  fuzz::require(again->find(run().candidate, 0.25, 1) == 0.125, "what was added is not found");
  return true;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  const bool taken = open_and_add({data, size}, memory);
  if (size == 0) {
    fuzz::require(taken, "an empty state is refused");
    fuzz::require(open_and_add(own_file(), memory), "a state that was just written is refused");
  }
  return 0;
}

// Mostly the lines behind the first are changed, which says what the file is about.
extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  if (const Bytes& file = own_file(); !fuzz::has_word(data, size, "candidate") && file.size() <= most)
    size = static_cast<std::size_t>(std::copy(file.begin(), file.end(), data) - data);
  return fuzz::mutate_file(data, size, most, seed, 0, fuzz::change_lines);
}
