// SPDX-License-Identifier: MIT
// Which flags name files that are read and which name files that are written, for all verbs, and what must hold
// before any work is done: each has a name, and no output is an input or another output.
#pragma once

#include <CLI/CLI.hpp>
#include <lacuna/base/base.hpp>
#include <string>

namespace lacuna::cli {

// Refuses an empty name, an output that is an input, or two outputs that are one file, whatever they are called: by device and
// inode, or where a file does not exist yet by the folder's identity and the name; "-" is the file that the shell has
// put there. Devices and pipes may be named
// more than once, but not "-", the standard input or output. Where a folder is read no output lies in it.
// Several processes read no pipe.
Result<> check_files(const CLI::App& app, const CLI::App& verb);

// Whether an output is "-". What a verb prints then goes to standard error.
[[nodiscard]] bool writes_to_standard_output(const CLI::App& app, const CLI::App& verb);

// Where predict writes the ends of intervals: answers.csv -> answers.low.csv.
[[nodiscard]] std::string beside(const std::string& path, const std::string& what);

}  // namespace lacuna::cli
