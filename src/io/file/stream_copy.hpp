// SPDX-License-Identifier: MIT
// Inputs that can be read only once, such as <(zcat data.gz) and named pipes. A format is found by looking at the first
// lines and then read from the beginning, so that all of the stream is kept, in a file that exists only in memory.
#pragma once

#include <lacuna/base/base.hpp>
#include <string>

namespace lacuna::io {

// A pipe or a socket, or "-", which is the standard input.
[[nodiscard]] bool is_stream(const std::string& path);

class StreamCopy {
 public:
  // Reads it to its end. An error of memory when it is larger than what there is.
  static Result<StreamCopy> take(const std::string& path);
  StreamCopy(StreamCopy&& other) noexcept;
  StreamCopy& operator=(StreamCopy&&) = delete;
  ~StreamCopy();

  // A name under which this process, and others that it starts, can open the copy.
  [[nodiscard]] const std::string& path() const { return path_; }
  // The error as it would be of the stream itself.
  [[nodiscard]] Error of_stream(Error error) const;

 private:
  StreamCopy(int file, std::string stream);
  int file_;
  std::string stream_, path_;
};

}  // namespace lacuna::io
