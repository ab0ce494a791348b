// SPDX-License-Identifier: MIT
// --checkpoint, --every and --resume, for the verbs that fit.
#pragma once

#include <CLI/CLI.hpp>
#include <lacuna/model/checkpoint.hpp>
#include <memory>
#include <string>

#include "command.hpp"

namespace lacuna::cli {

struct CheckpointFlags {
  std::string file;
  std::string every = "5m";
  std::string resume;

  void add_flags(CLI::App& command);
  [[nodiscard]] Result<> check() const;
  // What the flags ask for, with what --resume names in it; null where they ask for nothing. Messages call the data
  // by the names of these files. Of several processes all read what is there, and the first alone writes.
  [[nodiscard]] Result<std::unique_ptr<Checkpoint>> open(const Output& output, const std::string& train,
                                                         const std::string& test) const;
  // What to tell whoever stopped a fit: where it goes on from, or that nothing could be left there.
  [[nodiscard]] Result<> kept(const Checkpoint* checkpoint, const Output& output) const;
};

}  // namespace lacuna::cli
