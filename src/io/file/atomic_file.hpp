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
#include <vector>

namespace lacuna {

class OutputsTogether;

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

  // Where a program that is given `file` as kGivenFile can write all of it: a file without a name, and `path` is what
  // that program calls it; or, with `file` -1, the temporary file. An error as above.
  static constexpr int kGivenFile = 3;
  struct Place {
    std::string path;
    int file = -1;
  };
  Result<Place> place_for_program();

  // Takes its place, or waits for the others of an OutputsTogether.
  Result<> commit();

 private:
  friend class OutputsTogether;
  struct State;
  explicit AtomicFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Several outputs that become visible together: while one of these lives, AtomicFiles that its thread commits are whole and
// synced, but keep away from their names until commit() gives all of them theirs. Where one fails, all old files are
// there again; without commit() nothing is written. Of several, one within another, the outermost counts. A kill in the
// moment between two names, a few system calls, leaves some of them new, or an old file under a temporary name beside it.
class OutputsTogether {
 public:
  OutputsTogether();
  OutputsTogether(const OutputsTogether&) = delete;
  OutputsTogether& operator=(const OutputsTogether&) = delete;
  ~OutputsTogether();

  Result<> commit();

 private:
  friend class AtomicFile;
  std::vector<std::unique_ptr<AtomicFile::State>> waiting_;
  bool outermost_;
};

// Where a file of this name would be written: writing through symbolic links replaces, or makes, what they point to
// and leaves the links alone. The name of a link itself where links lead in a circle.
[[nodiscard]] std::string follow_link(const std::string& path);

}  // namespace lacuna
