// SPDX-License-Identifier: MIT
// A file that is there whole or not at all: written in the target's folder without a name, then fsync, a unique
// temporary name, rename, fsync of the folder. Where the file system has no files without names the temporary one is
// there from the beginning. An AtomicFile that is destroyed before commit() leaves nothing behind, and where there
// are files without names, neither does a process that is killed. "-" is the standard output, which is written to at
// once.
#pragma once

#include <cstddef>
#include <lacuna/base/base.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace lacuna {

class AtomicFile {
 public:
  static Result<AtomicFile> create(const std::string& path);
  AtomicFile(AtomicFile&&) noexcept;
  AtomicFile& operator=(AtomicFile&&) noexcept;
  ~AtomicFile();

  // Buffered. The first failure is remembered and returned by commit().
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }

  // The temporary file's name, with all that was written in it, for another program to write to. An error for a
  // device or a pipe.
  Result<std::string> flush_to_path();

  Result<> commit();

 private:
  struct State;
  explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Where a file of this name would be written: writing through symbolic links replaces, or makes, what they point to
// and leaves the links alone. The name of a link itself where links lead in a circle.
[[nodiscard]] std::string follow_link(const std::string& path);

}  // namespace lacuna
