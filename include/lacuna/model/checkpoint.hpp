// SPDX-License-Identifier: MIT
// A fit that is stopped, or killed, and goes on later: with the same bits as one that was never stopped.
#pragma once

#include <functional>
#include <lacuna/base/base.hpp>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace lacuna {

class Journal;  // private to the library (src/model/journal.hpp)

// The checkpoint is about other data or other settings, or what it holds does not belong together. what()
// names the first difference.
class CheckpointError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// Everything that a fit needs to go on: the trials that were judged, and the state of the solve under way.
//
//   Checkpoint checkpoint([](const Checkpoint& state) { return save_checkpoint("fit.ckpt", state); });
//   if (auto loaded = load_checkpoint("fit.ckpt", checkpoint); !loaded) ...   // to go on with what was saved
//   fit(tensor, settings, {.checkpoint = &checkpoint});
//
// It is saved about every `every` seconds, between two steps, and once more when the fit is stopped. Where
// that fails the fit goes on; problem() says why, and the next save tries again. It belongs to one fit at a
// time.
class Checkpoint {
 public:
  using Save = std::function<Result<>(const Checkpoint&)>;
  static constexpr double kEvery = 300.0;

  // Without `save` it can be gone on from, and is never saved.
  explicit Checkpoint(Save save = {}, double every = kEvery);
  Checkpoint(const Checkpoint&) = delete;
  Checkpoint& operator=(const Checkpoint&) = delete;
  ~Checkpoint();

  // What messages call the data ("data") and the test entries ("test"): the names of their files, say.
  void call(const std::string& what, std::string name);

  // Why the last save failed, if it did.
  [[nodiscard]] const std::optional<Error>& problem() const;
  // How often it was saved.
  [[nodiscard]] int saves() const;

  [[nodiscard]] Journal& journal() { return *journal_; }
  [[nodiscard]] const Journal& journal() const { return *journal_; }

 private:
  std::unique_ptr<Journal> journal_;
};

}  // namespace lacuna
