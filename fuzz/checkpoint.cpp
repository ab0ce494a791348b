// SPDX-License-Identifier: MIT
// Checkpoint files: what is loaded is saved and loaded again without a bit changed, and a small fit goes on from it or says
// why not. The journal is taken for one of that fit, whatever it says.
//
// The seeds are what these fits save themselves, half way and when they are done: they cannot be of an older layout. The
// empty input stands for all of them, and none may be refused.
#include <algorithm>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <lacuna/search/fit.hpp>
#include <map>

#include "io/file/model_body.hpp"
#include "model/journal.hpp"
#include "mutate.hpp"
#include "support.hpp"

using namespace lacuna;
using fuzz::Bytes;

namespace {

// One of each way to keep a state. The first is the fit of a checkpoint that says no other method.
constexpr Method kMethods[] = {Method::kTrMm,    Method::kTrLs,  Method::kFfw,     Method::kAls,
                               Method::kRprecon, Method::kTopt,  Method::kBayesCp, Method::kEdges,
                               Method::kHalrtc,  Method::kLatent};
constexpr int kSteps = 3;

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

void small_fit(Method method, Checkpoint& checkpoint) {
  Settings settings{.method = method, .offsets = OffsetSpec{}, .max_iterations = kSteps};
  if (takes(method, kTakesRank)) settings.ranks = {1};
  if (takes(method, kTakesLambda)) settings.lambda = 1.0;
  if (takes(method, kTakesEarlyStop)) settings.search.early_stop = 0.0;
  FitCallbacks callbacks;
  callbacks.checkpoint = &checkpoint;
  (void)fit(small_tensor(), settings, callbacks);
}

// What a fit saves, without the times it took: the same bytes in every run.
Bytes bytes_of(const Checkpoint& checkpoint) {
  std::vector<JournalItem> items = checkpoint.journal().items();
  for (JournalItem& item : items) {
    item.seconds = 0.0;
    item.held = item.model.lock();
    for (auto& [name, number] : item.saved.numbers)
      if (name.find("seconds") != std::string::npos) number = 0.0;
  }
  Checkpoint timeless;
  timeless.journal().load("", checkpoint.journal().about(), std::move(items));
  fuzz::MemoryFile memory;
  fuzz::require(save_checkpoint(memory.path(), timeless).ok(), "a checkpoint cannot be saved");
  return memory.bytes();
}

struct Own {
  std::map<Method, Journal::About> about;
  std::vector<Bytes> files;
};

const Own& own() {
  static const Own made = [] {
    Own out;
    for (const Method method : kMethods) {
      Bytes half_way;
      Checkpoint checkpoint(
          [&](const Checkpoint& state) -> Result<> {
            if (!state.journal().items().back().finished) half_way = bytes_of(state);
            return Nothing{};
          },
          0.0);
      small_fit(method, checkpoint);
      out.about[method] = checkpoint.journal().about();
      if (!half_way.empty()) out.files.push_back(std::move(half_way));
      out.files.push_back(bytes_of(checkpoint));
    }
    return out;
  }();
  return made;
}

Method method_of(const Journal::About& about) {
  for (const Method method : kMethods)
    for (const auto& [what, value] : about)
      if (what == "method" && value == name(method)) return method;
  return kMethods[0];
}

// Whether it was taken, by the reader and by the fit.
bool load_and_go_on(std::span<const std::uint8_t> data, fuzz::MemoryFile& memory) {
  memory.fill(data);
  Checkpoint checkpoint;
  if (const auto loaded = load_checkpoint(memory.path(), checkpoint); !loaded) {
    fuzz::check(loaded.error());
    return false;
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
  // Of the fit of its method, whatever else the file says it is of.
  const Method method = method_of(checkpoint.journal().about());
  checkpoint.journal().load("", own().about.at(method), checkpoint.journal().items());
  try {
    small_fit(method, checkpoint);
  } catch (const CheckpointError&) {
    return false;
  } catch (const ValueRangeError&) {
    return false;
  }
  return true;
}

bool is_checkpoint(const std::uint8_t* data, std::size_t size) {
  return fuzz::has_word(data, size, io::kCheckpointKind);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::MemoryFile memory;
  if (size > 0) {
    (void)load_and_go_on({data, size}, memory);
    return 0;
  }
  for (const Bytes& file : own().files)
    fuzz::require(load_and_go_on(file, memory), "a checkpoint that was just saved is refused");
  return 0;
}

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most,
                                               unsigned seed) {
  if (!is_checkpoint(data, size)) {
    const Bytes& file = own().files[seed % own().files.size()];
    if (file.size() <= most)
      size = static_cast<std::size_t>(std::copy(file.begin(), file.end(), data) - data);
  }
  return fuzz::mutate_file(data, size, most, seed, 0, fuzz::change_model);
}
