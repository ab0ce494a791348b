// SPDX-License-Identifier: MIT
// The flags about data that are nothing but facts, for the verbs that fit one model.
#pragma once

#include <CLI/CLI.hpp>
#include <lacuna/method/settings.hpp>
#include <optional>
#include <string>

#include "command.hpp"
#include "input.hpp"

namespace lacuna::cli {

struct FactFlags {
  std::optional<int> negatives;  // nothing: as many as are usual for facts
  std::string corrupt;

  void add_flags(CLI::App& command);
  // What is not in a file of facts is mostly none: methods that learn from values need some of those cells.
  Result<> take(const TrainingData& data, const Output& output, Settings& settings) const;
};

}  // namespace lacuna::cli
