// SPDX-License-Identifier: MIT
// What of a text each of several processes reads: as many bytes as the others, of one file or of all files of a folder,
// one after the other. Packed files are not divided.
#pragma once

#include <lacuna/io/files.hpp>
#include <string>
#include <vector>

#include "dist/communicator.hpp"
#include "io/text/reader.hpp"

namespace lacuna::io {

// What reading gives one of the processes.
struct Reading {
  TensorFile file;                  // whose modes are everyone's
  bool shared = false;              // its entries are those of this process; otherwise all that there are
  std::vector<TextRange> ranges{};  // of text: where they stand
};

// The files of a folder by their names, but for those that begin with '.' or '_'; of any other path itself.
Result<std::vector<std::string>> text_files(const std::string& path);

// The stretches of a process, in the order of the files, each of which is read from its `begin` on.
Result<std::vector<TextRange>> share_ranges(const std::vector<TextRange>& files,
                                            const Communicator& everyone);

// Finds out which of everyone's ranges begin within quotes, where fields with this delimiter may hold line breaks.
// Called by all processes, also by those whose ranges could not be found.
Result<> find_quotes(std::vector<TextRange>& ranges, const std::string& delimiter,
                     const Communicator& everyone);

}  // namespace lacuna::io
