// SPDX-License-Identifier: MIT
// Zip archives, as far as .npz needs them: stored and deflated members, no encryption, one disk.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "io/file/atomic_file.hpp"
#include "io/file/byte_file.hpp"

namespace lacuna::io {

struct ZipMember {
  std::string name;
  std::uint16_t flags = 0;
  std::uint16_t method = 0;  // 0 stored, 8 deflated
  std::uint32_t crc = 0;
  std::uint64_t packed_size = 0;
  std::uint64_t size = 0;
  std::uint64_t offset = 0;  // of the local header
};

class ZipReader {
 public:
  static Result<ZipReader> open(const std::string& path);

  [[nodiscard]] const std::vector<ZipMember>& members() const { return members_; }

  // The member's bytes, its checksum verified.
  [[nodiscard]] Result<Bytes> read(const ZipMember& member) const;
  // Its first bytes only, at most `limit` of them.
  [[nodiscard]] Result<Bytes> read_start(const ZipMember& member, std::uint64_t limit) const;

 private:
  struct Directory {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
    std::uint64_t members = 0;
  };
  explicit ZipReader(ByteFile file) : file_(std::move(file)) {}
  [[nodiscard]] Result<Directory> find_directory() const;
  Result<> read_directory(const Directory& directory);
  [[nodiscard]] Result<std::uint64_t> data_offset(const ZipMember& member) const;
  [[nodiscard]] Error damaged(const std::string& what) const;

  ByteFile file_;
  std::vector<ZipMember> members_;
};

class ZipWriter {
 public:
  // The 64-bit fields are written where a number needs them, or always.
  explicit ZipWriter(AtomicFile& out, bool always_64_bit = false)
      : out_(out), always_64_bit_(always_64_bit) {}

  // One member, deflated. The pieces are written one after the other.
  void add(const std::string& name, const std::vector<const Bytes*>& pieces);
  void finish();

 private:
  void write(const Bytes& bytes);

  AtomicFile& out_;
  bool always_64_bit_;
  std::uint64_t position_ = 0;
  std::vector<ZipMember> members_;
};

}  // namespace lacuna::io
