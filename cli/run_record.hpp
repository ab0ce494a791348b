// SPDX-License-Identifier: MIT
// How a model came to be, kept in it for `lacuna report`, and the page itself.
#pragma once

#include <lacuna/report/report.hpp>
#include <optional>
#include <string>

#include "fit_flags.hpp"
#include "input.hpp"
#include "progress.hpp"

namespace lacuna::cli {

// The command that is running, as it could be typed again.
void set_command_line(int argc, char** argv);

// From a fit to the files it leaves: the model with its record, and the page about it.
struct Run {
  std::string train;
  std::string test{};
  bool picture = false;
  std::optional<Entries> known{};  // the observed entries, kept where a page will show them

  Run(std::string train_path, std::string test_path, const TrainingData& data, const FitFlags& flags);
  // Command, files and their checksums, history and, after tuning, its table, into the model's record.
  Result<> keep_record(FitResult& result, const History& history, const FitFlags& flags,
                       std::optional<TuningRecord> tuning = {}) const;
  // The page that --report asks for, if it does.
  Result<> write_page(const Model& model, const Entries* unseen, const FitFlags& flags) const;
};

// Writes a page about a model; its record may say that the data is a picture.
Result<> write_report(const std::string& path, const Model& model, const Entries* train, const Entries* test,
                      bool picture = false);

}  // namespace lacuna::cli
