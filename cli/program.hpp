// SPDX-License-Identifier: MIT
// The verbs and flags of the command line, from words to what is to be done.
#pragma once

#include <CLI/CLI.hpp>
#include <lacuna/base/base.hpp>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.hpp"
#include "config_file.hpp"

namespace lacuna::cli {

class Program {
 public:
  Program();
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  enum class Next { kRun, kDone };
  // Understands the words after the program's name. kDone: they asked for help or the version, which was printed.
  Result<Next> read(std::vector<std::string> words);
  // Does what was understood; the exit code.
  Result<int> run();

 private:
  CLI::App app_;
  std::shared_ptr<ConfigFile> config_;
  std::vector<std::pair<std::string, Action>> actions_;
};

}  // namespace lacuna::cli
