// SPDX-License-Identifier: MIT
// Binary files read by position, and the whole numbers inside them. No read goes past the end of the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <lacuna/base/base.hpp>
#include <memory>
#include <string>
#include <vector>

namespace lacuna::io {

using Bytes = std::vector<unsigned char>;

class ByteFile {
 public:
  // A pipe or a device is read to its end at once: its size is not known otherwise.
  static Result<ByteFile> open(const std::string& path);
  ByteFile(ByteFile&&) noexcept;
  ByteFile& operator=(ByteFile&&) noexcept;
  ~ByteFile();

  [[nodiscard]] const std::string& path() const;
  [[nodiscard]] std::uint64_t size() const;

  // Exactly `count` bytes from `offset` on; an error when the file ends before that.
  [[nodiscard]] Result<> read(std::uint64_t offset, void* out, std::size_t count) const;
  [[nodiscard]] Result<Bytes> bytes(std::uint64_t offset, std::uint64_t count) const;

 private:
  struct State;
  explicit ByteFile(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

// Unsigned numbers of `count` <= 8 bytes.
inline std::uint64_t load_unsigned(const unsigned char* p, std::size_t count, bool big_endian = false) {
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < count; ++i) {
    number = (number << 8) | p[big_endian ? i : count - 1 - i];
  }
  return number;
}
inline std::uint16_t load_u16(const unsigned char* p, bool big_endian = false) {
  return static_cast<std::uint16_t>(load_unsigned(p, 2, big_endian));
}
inline std::uint32_t load_u32(const unsigned char* p, bool big_endian = false) {
  return static_cast<std::uint32_t>(load_unsigned(p, 4, big_endian));
}
inline std::uint64_t load_u64(const unsigned char* p, bool big_endian = false) {
  return load_unsigned(p, 8, big_endian);
}

// Little-endian, `count` <= 8 bytes.
inline void append_number(Bytes& out, std::uint64_t number, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) out.push_back(static_cast<unsigned char>(number >> (8 * i)));
}

}  // namespace lacuna::io
