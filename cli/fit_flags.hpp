// SPDX-License-Identifier: MIT
// The flags that say how to fit, for the verbs that do.
#pragma once

#include <CLI/CLI.hpp>
#include <lacuna/method/fit.hpp>
#include <memory>
#include <string>
#include <vector>

#include "clip.hpp"
#include "command.hpp"

namespace lacuna::cli {

[[nodiscard]] std::vector<std::string> method_names();

inline constexpr double kCalibrationShare = 0.05;  // of the entries, held out for --intervals

struct FitFlags {
  std::string method = "tr-mm";
  std::string optimizer = "trust-region";
  std::string precision = "double";
  std::string loss = "squared";
  std::string init = "auto";
  std::string center;
  std::string parts;  // empty: full, or auto where everything is
  std::string offsets;
  std::string tubes;  // a mode
  std::vector<std::string> rank = {"auto"};
  std::string lambda;
  ClipFlag clip;
  FitOptions options;
  bool choose_everything = false;  // what is not given is chosen by the program
  bool strict = false;
  bool intervals = false;
  std::string report;      // a page about the fit
  bool no_record = false;  // keep nothing in the model that differs from run to run

  void add_flags(CLI::App& command);
  // --method auto: which one is found out by cross-validation, see auto_method.hpp.
  [[nodiscard]] bool open_method() const { return method == "auto"; }
  // Checked options; loads the model that --init names into `warm`.
  Result<FitOptions> fit_options(std::unique_ptr<Model>& warm) const;
  // A page about the fit shows its gap at every step, as a history does.
  void watch_closely(FitOptions& chosen) const {
    if (!report.empty()) chosen.certify = Certify::kEveryStep;
  }
  // What --parts, --offsets and --tubes mean for data of these modes.
  Result<> set_structure(const std::vector<Mode>& modes, FitOptions& chosen) const;
};

// Runs a fit with the CLI's callbacks: progress on stderr, Ctrl-C, notices.
[[nodiscard]] FitResult run_fit(ObservedTensor tensor, const FitOptions& options, const Entries* test,
                                const Output& output,
                                const std::function<void(const FitProgress&)>& also = {});

// Bytes that fitting a tensor with these options needs, roughly. What `auto` will choose is not known yet, so
// that counts all parts it may.
[[nodiscard]] double fit_memory(Count entries, const std::vector<Mode>& modes, const FitOptions& options);
// kMemory unless the fit fits in the machine's memory.
Result<> check_fit_memory(const ObservedTensor& tensor, const FitOptions& options);

// 0, kNotConverged under --strict, or 128 + the signal that stopped the fit.
[[nodiscard]] int exit_code(const FitResult& result, bool strict);

}  // namespace lacuna::cli
