// SPDX-License-Identifier: MIT
// The flags that say how to fit, for the verbs that do: one for each row of the table of settings.
#pragma once

#include <CLI/CLI.hpp>
#include <lacuna/method/settings.hpp>
#include <lacuna/search/fit.hpp>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "checkpoint_flags.hpp"
#include "command.hpp"
#include "input.hpp"
#include "side_flags.hpp"

namespace lacuna::cli {

[[nodiscard]] std::vector<std::string> method_names();

inline constexpr double kCalibrationShare = 0.05;  // of the entries, held out for --intervals

struct FitFlags {
  std::map<std::string, std::string> given;  // setting -> text; empty: not given
  std::string preset;
  bool strict = false;
  bool intervals = false;
  SideFlags side;
  CheckpointFlags checkpoint;
  std::string report;      // a page about the fit
  bool no_record = false;  // keep nothing in the model that differs from run to run

  void add_flags(CLI::App& command);
  // What can be judged before the data is read: everything that is not about its modes.
  [[nodiscard]] Result<> check() const;
  // The settings for data of these modes; loads the model that --init names into `warm`.
  [[nodiscard]] Result<Settings> settings(const std::vector<Mode>& modes, std::unique_ptr<Model>& warm) const;
  // The same flags without what the method does not take.
  [[nodiscard]] FitFlags without_what_it_does_not_take(Method method) const;
};

// Whether every process is to have all entries, not only some, for these settings: something that is to be done needs
// them, or the method is open and all of it fits, so that methods which cannot share are tried as well. By all processes.
[[nodiscard]] bool holds_all(const TrainingData& data, const Settings& settings);
// The tensor that a fit is to be given: all entries, or some of them on each process. Takes it.
[[nodiscard]] ObservedTensor take_entries(TrainingData& data, bool all);

// Runs a fit with the CLI's callbacks: progress on stderr, Ctrl-C, notices. Takes the tensor. `test` and `checkpoint` may
// be null.
[[nodiscard]] FitResult run_fit(TrainingData& data, const Entries* test, const Settings& settings,
                                const Output& output, Checkpoint* checkpoint,
                                const std::function<void(const FitProgress&)>& also = {});

// Whether processes can share a fit by the method given. One process can do all.
Result<> check_shared(const Settings& settings);

// kMemory unless a fit of the method given fits in the machine's memory; several processes say what each needs. A method
// left open is chosen among those that do. With a checkpoint it needs more.
Result<> check_fit_memory(const TrainingData& data, const Settings& settings, const Output& output,
                          bool checkpoint);

// Says, to one who asked for more, what memory the processes took. By all of them.
void tell_peak(const Output& output);

// 0, kNotConverged under --strict, or 128 + the signal that stopped the fit.
[[nodiscard]] int exit_code(const FitResult& result, bool strict);

}  // namespace lacuna::cli
