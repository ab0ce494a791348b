// SPDX-License-Identifier: MIT
// The flags that name files of side information, for the verbs that fit.
#pragma once

#include <CLI/CLI.hpp>
#include <lacuna/io/files.hpp>
#include <string>
#include <vector>

namespace lacuna::cli {

struct SideFlags {
  std::vector<std::string> tables;  // MODE=FILE
  std::vector<std::string> graphs;  // likewise

  void add_flags(CLI::App& command);
  // Reads the files into the modes of the file; `notes` gets sentences for the user. Names that a sparse file does
  // not have become new positions of its mode.
  Result<> attach(TensorFile& file, std::vector<std::string>& notes) const;
};

}  // namespace lacuna::cli
