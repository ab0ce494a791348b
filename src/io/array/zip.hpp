// SPDX-License-Identifier: MIT
// Zip archives for .npz, through libzip: stored and deflated members. libzip takes an
// archive's own statements of its sizes as they are; here they are held against the file before memory is taken.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "io/file/atomic_file.hpp"
#include "io/file/byte_file.hpp"

struct zip;
struct zip_source;

namespace lacuna::io {

struct ZipMember {
  std::string name;
  std::uint64_t number = 0;  // in the archive
  std::uint64_t size = 0;    // unpacked
  std::uint64_t packed_size = 0;
  std::uint16_t method = 0;
  bool encrypted = false;
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
  struct Discard {
    void operator()(zip* archive) const;
  };
  explicit ZipReader(ByteFile file) : file_(std::move(file)) {}
  Result<> open_archive();
  Result<> list_members();
  [[nodiscard]] Result<> check(const ZipMember& member) const;
  [[nodiscard]] Error damaged(const std::string& what) const;

  ByteFile file_;
  Bytes memory_;  // of a file that is no regular one
  std::unique_ptr<zip, Discard> archive_;
  std::vector<ZipMember> members_;
};

// An archive that is put together in memory and then written at once.
class ZipWriter {
 public:
  ZipWriter();
  ZipWriter(const ZipWriter&) = delete;
  ZipWriter& operator=(const ZipWriter&) = delete;
  ~ZipWriter();

  // One member, deflated.
  void add(const std::string& name, Bytes content);
  // False: libzip failed, and trouble() says how.
  bool finish(AtomicFile& out);
  [[nodiscard]] const std::string& trouble() const { return trouble_; }

 private:
  void fail(zip* archive);

  zip_source* memory_ = nullptr;
  zip* archive_ = nullptr;
  std::vector<std::unique_ptr<Bytes>> contents_;  // until the archive is written
  std::string trouble_;
};

}  // namespace lacuna::io
