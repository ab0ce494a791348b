// SPDX-License-Identifier: MIT
// The state of a tuning run: it is taken up or refused with a sentence, and what is added to it is there next time.
#include "tune_state.hpp"

#include "dist/communicator.hpp"
#include "method/saved_fit.hpp"
#include "support.hpp"

using namespace lacuna;

namespace {

ObservedTensor small_tensor() {
  Entries entries{.cells = {{0, 1, 2, 0}, {0, 0, 1, 1}}, .value = {1.0, 2.0, 3.0, 4.0}};
  return std::move(
      *ObservedTensor::create({{.name = "a", .size = 3}, {.name = "b", .size = 2}}, std::move(entries)));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  static const ObservedTensor tensor = small_tensor();
  static const std::string about = checksum_text(tensor, serial_communicator());
  static const TuneCandidate candidate{.name = "tr-mm \xff", .options = {}};
  TuneOptions options;
  options.folds = 3;
  memory.fill({data, size});
  {
    auto state = cli::TuneState::open(memory.path(), about, tensor.modes(), options);
    if (!state) {
      fuzz::check(state.error());
      return 0;
    }
    (void)state->find(candidate, 0.5, 2);
    state->add(candidate, 0.25, 1, 0.125);
    fuzz::require(state->finish().ok() && !state->failed(), "a state that cannot be added to");
  }
  const auto again = cli::TuneState::open(memory.path(), about, tensor.modes(), options);
  fuzz::require(again.ok(), "a state that was added to cannot be opened");
  fuzz::require(again->find(candidate, 0.25, 1) == 0.125, "what was added is not found");
  return 0;
}
