// SPDX-License-Identifier: MIT
// Text that becomes a whole file at once, packed when the file's name ends in ".gz", ".zst" or ".xz".
#pragma once

#include <fmt/format.h>

#include <lacuna/io/files.hpp>
#include <memory>
#include <string>
#include <string_view>

namespace lacuna::io {

class TextWriter {
 public:
  static Result<TextWriter> create(const std::string& path);
  TextWriter(TextWriter&&) noexcept;
  TextWriter& operator=(TextWriter&&) noexcept;
  ~TextWriter();

  void text(std::string_view text);
  void integer(std::int64_t number);
  // The shortest text that reads back as the same double.
  void number(double value, char decimal = '.');

  Result<> commit();

 private:
  struct State;
  explicit TextWriter(std::unique_ptr<State> state);
  void flush_when_full();
  std::unique_ptr<State> state_;
};

// Entries that a text file cannot hold: positions outside their mode (kUnseen among them), infinite values.
// Throws std::invalid_argument when modes and entries do not belong together.
Result<> check_writable(const std::string& path, const TensorFile& file);

// "i j k value" lines, 1-based where base is 1.
void write_index_lines(TextWriter& out, const Entries& entries, int base);

}  // namespace lacuna::io
