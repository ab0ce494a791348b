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

// Some of a file's bytes: the lines that begin among them. All of a packed file, whose lines have no such place.
struct TextRange {
  static constexpr std::uint64_t kEnd = ~std::uint64_t{0};

  std::string path{};
  std::uint64_t begin = 0;
  std::uint64_t end = kEnd;
  bool in_quotes = false;  // its first line is the rest of a record, which belongs to the range before
};

class TextReader {
 public:
  // Skips a UTF-8 byte order mark.
  static Result<TextReader> open(const std::string& path) { return open(TextRange{.path = path}); }
  static Result<TextReader> open(const TextRange& range);
  // The same, where "-" is the standard input, which messages call so.
  static Result<TextReader> open_input(const std::string& path);
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

  [[nodiscard]] bool packed() const;
  // Where in the file, unless it is packed, the line after the current one begins.
  [[nodiscard]] std::uint64_t behind() const;

  [[nodiscard]] Result<> status() const;
  [[nodiscard]] const std::string& path() const;
  // Of the current line in the file, 1-based. Counts what lies before a range when it is asked for.
  [[nodiscard]] Count line_number() const;
  [[nodiscard]] std::string where() const;  // "path:line"
  // "path:line:column" of the character at byte `offset` of `line`.
  [[nodiscard]] std::string where(std::string_view line, std::size_t offset) const;

  // How many lines the range will have, judged by the bytes and lines read so far.
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
