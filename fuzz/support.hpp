// SPDX-License-Identifier: MIT
// What the fuzz targets share: files that exist only in memory, and what must hold of anything that was read.
//
// A target's input is a file, followed by a few bytes that choose the options it is read with: FuzzedDataProvider
// takes numbers from the end, so that a file with zeros behind it is read with the defaults.
#pragma once

#include <fuzzer/FuzzedDataProvider.h>

#include <cstdint>
#include <lacuna/base/base.hpp>
#include <lacuna/io/files.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace lacuna::fuzz {

// A file without a name on any disk; the path is one that every reader and writer can open.
class MemoryFile {
 public:
  MemoryFile();
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile();

  [[nodiscard]] const std::string& path() const { return path_; }
  // Replaces what it holds; a writer that follows begins where the bytes end.
  void fill(std::span<const std::uint8_t> bytes);
  void clear() { fill({}); }
  [[nodiscard]] std::vector<std::uint8_t> bytes() const;

 private:
  int file_;
  std::string path_;
};

// Prints the sentence and aborts, which is how a target says that it has found something.
void require(bool holds, std::string_view sentence);

// An error has a sentence of printable text, and is nobody's mistake but the file's, the options' or the memory's. With
// LACUNA_FUZZ_MUST_ACCEPT in the environment there may be none: a seed that is refused reaches nothing behind it.
void check(const Error& error);
// Modes and entries belong together, and nothing is infinite.
void check(const TensorFile& file);

// Equal numbers, and NaN at the same places.
[[nodiscard]] bool same_numbers(std::span<const double> left, std::span<const double> right);

// All that must hold of reading the input's bytes with these options, and of making a tensor of them. The file
// that was read, if it could be.
std::optional<TensorFile> read_and_check(FuzzedDataProvider& input, MemoryFile& memory,
                                         const ReadOptions& options);

// Written in its own text format and read again with these options and its own sizes, the file has the same cells,
// numbers and labels. An error of the writer is fine.
void write_and_read(const TensorFile& file, MemoryFile& memory, ReadOptions options);

}  // namespace lacuna::fuzz
