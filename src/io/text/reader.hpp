// SPDX-License-Identifier: MIT
// Lines of a plain or packed text file, read block by block: memory stays at one block (or one line, if that
// is longer) however large the file is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <lacuna/base/base.hpp>
#include <lacuna/tensor/tensor.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace lacuna::io {

class TextReader {
 public:
  // Skips a UTF-8 byte order mark.
  static Result<TextReader> open(const std::string& path);
  TextReader(TextReader&&) noexcept;
  TextReader& operator=(TextReader&&) noexcept;
  ~TextReader();

  // The next line without its line break ("\n", "\r\n" or "\r"); the view holds until the next call. False at the
  // end of the file and after a failure: status() tells which.
  bool next(std::string_view& line);

  // Lengthens the current line by the line break and the line after it, as quoted fields need. False when
  // there is no further line or the two are unreasonably long; the current line then stands as it was.
  bool extend(std::string_view& line);

  // Whether next() can answer from what has been read: otherwise it reads on, and waits where a pipe has nothing.
  [[nodiscard]] bool line_ready() const;

  // Whether the current line ends in "\r\n".
  [[nodiscard]] bool breaks_with_return() const;

  [[nodiscard]] Result<> status() const;
  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] Count line_number() const;  // of the current line, 1-based
  [[nodiscard]] std::string where() const;  // "path:line"
  // "path:line:column" of the character at byte `offset` of `line`.
  [[nodiscard]] std::string where(std::string_view line, std::size_t offset) const;

  // How many lines the file will have, judged by the bytes and lines read so far.
  [[nodiscard]] Count estimate_lines() const;

 private:
  struct State;
  explicit TextReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// "path:line:column", the column counted in characters rather than bytes, as editors do.
std::string text_position(const std::string& path, Count line_number, std::string_view line,
                          std::size_t offset);

}  // namespace lacuna::io
