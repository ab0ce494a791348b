// SPDX-License-Identifier: MIT
// What a packed file unpacks to, block by block: gzip, zstd or xz, told by its first bytes. A file may be several packed
// ones in a row, as `cat a.gz b.gz` makes; anything else behind the packed data is an error, and so is an end in the
// middle. What is unpacked is never kept here: how much of it a reader takes is the reader's to judge.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace lacuna::io {

class PackedReader {
 public:
  // Nothing when the first bytes are not those of a packed file. Reads on from the descriptor, which stays the caller's,
  // behind these bytes.
  static std::optional<PackedReader> open(int file, std::string_view start);
  PackedReader(PackedReader&&) noexcept;
  PackedReader& operator=(PackedReader&&) noexcept;
  ~PackedReader();

  // How many bytes came. 0: the end, or trouble() has something to say.
  std::size_t read(char* into, std::size_t room);
  [[nodiscard]] const std::string& trouble() const;

 private:
  struct State;
  explicit PackedReader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace lacuna::io
