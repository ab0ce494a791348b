// SPDX-License-Identifier: MIT
// What a gzip file unpacks to, block by block. A file may be several packed ones in a row, as `cat a.gz b.gz`
// makes; anything else behind the packed data is an error (zlib's own reader leaves it out without a word).
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace lacuna::io {

class GzipReader {
 public:
  // Reads on from the descriptor, which stays the caller's, behind the bytes that are already there.
  GzipReader(int file, std::string_view start);
  GzipReader(GzipReader&&) noexcept;
  GzipReader& operator=(GzipReader&&) noexcept;
  ~GzipReader();

  // How many bytes came. 0: the end, or trouble() has something to say.
  std::size_t read(char* into, std::size_t room);
  [[nodiscard]] const std::string& trouble() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace lacuna::io
