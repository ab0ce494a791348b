// SPDX-License-Identifier: MIT
// Zip archives. The central directory at the end is the truth; local headers only tell where the data start.
#include "io/array/zip.hpp"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <limits>

#include "io/file/inflate.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

constexpr std::uint32_t kLocalMark = 0x04034b50;
constexpr std::uint32_t kDirectoryMark = 0x02014b50;
constexpr std::uint32_t kEndMark = 0x06054b50;
constexpr std::uint32_t kEnd64Mark = 0x06064b50;
constexpr std::uint32_t kLocator64Mark = 0x07064b50;
constexpr std::size_t kLocalBytes = 30;
constexpr std::size_t kDirectoryBytes = 46;
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kEnd64Bytes = 56;
constexpr std::size_t kLocatorBytes = 20;
constexpr std::size_t kLongestComment = 0xffff;
constexpr std::uint32_t kIn64 = 0xffffffff;  // "see the 64-bit field"
constexpr std::uint16_t kExtra64 = 1;
constexpr std::uint16_t kStored = 0;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint16_t kEncrypted = 1;
constexpr std::uint16_t kVersion = 20;
constexpr std::uint16_t kVersion64 = 45;
constexpr std::uint16_t kNoDate = 0x0021;  // 1980-01-01, the first there is: equal content makes equal files

// Takes the 64-bit numbers that stand in for those of `member` that are kIn64, in the order the format gives
// them.
bool take_extra(const unsigned char* extra, std::size_t count, ZipMember& member) {
  for (std::size_t at = 0; at + 4 <= count;) {
    const std::size_t length = load_u16(extra + at + 2);
    const std::size_t body = at + 4;
    if (length > count - body) return false;
    if (load_u16(extra + at) == kExtra64) {
      std::size_t used = 0;
      for (std::uint64_t* number : {&member.size, &member.packed_size, &member.offset}) {
        if (*number != kIn64) continue;
        if (used + 8 > length) return false;
        *number = load_u64(extra + body + used);
        used += 8;
      }
      return true;
    }
    at = body + length;
  }
  return member.size != kIn64 && member.packed_size != kIn64 && member.offset != kIn64;
}

std::uint32_t low(std::uint64_t number, bool use_64) {
  return use_64 ? kIn64 : static_cast<std::uint32_t>(number);
}

// What local headers and directory entries have in common, up to and including the length of the name.
void append_description(Bytes& out, const ZipMember& member, bool large) {
  append_number(out, large ? kVersion64 : kVersion, 2);  // of the format, needed to unpack
  append_number(out, member.flags, 2);
  append_number(out, member.method, 2);
  append_number(out, 0, 2);  // time
  append_number(out, kNoDate, 2);
  append_number(out, member.crc, 4);
  append_number(out, low(member.packed_size, large), 4);
  append_number(out, low(member.size, large), 4);
  append_number(out, member.name.size(), 2);
}

Bytes local_header(const ZipMember& member, bool large) {
  Bytes out;
  append_number(out, kLocalMark, 4);
  append_description(out, member, large);
  append_number(out, large ? 20 : 0, 2);
  out.insert(out.end(), member.name.begin(), member.name.end());
  if (large) {
    append_number(out, kExtra64, 2);
    append_number(out, 16, 2);
    append_number(out, member.size, 8);
    append_number(out, member.packed_size, 8);
  }
  return out;
}

Bytes directory_entry(const ZipMember& member, bool large) {
  Bytes out;
  append_number(out, kDirectoryMark, 4);
  append_number(out, large ? kVersion64 : kVersion, 2);  // of the format, followed here
  append_description(out, member, large);
  append_number(out, large ? 28 : 0, 2);
  append_number(out, 0, 6);             // comment, disk, internal attributes
  append_number(out, 0600U << 16U, 4);  // a file its owner may read and write
  append_number(out, low(member.offset, large), 4);
  out.insert(out.end(), member.name.begin(), member.name.end());
  if (large) {
    append_number(out, kExtra64, 2);
    append_number(out, 24, 2);
    append_number(out, member.size, 8);
    append_number(out, member.packed_size, 8);
    append_number(out, member.offset, 8);
  }
  return out;
}

// The directory went from `start` to `end`.
Bytes end_records(std::uint64_t start, std::uint64_t end, std::size_t members, bool large) {
  Bytes out;
  if (large) {
    append_number(out, kEnd64Mark, 4);
    append_number(out, kEnd64Bytes - 12, 8);
    append_number(out, kVersion64, 2);
    append_number(out, kVersion64, 2);
    append_number(out, 0, 8);  // disks
    append_number(out, members, 8);
    append_number(out, members, 8);
    append_number(out, end - start, 8);
    append_number(out, start, 8);
    append_number(out, kLocator64Mark, 4);
    append_number(out, 0, 4);
    append_number(out, end, 8);
    append_number(out, 1, 4);
  }
  append_number(out, kEndMark, 4);
  append_number(out, 0, 4);  // disks
  append_number(out, members, 2);
  append_number(out, members, 2);
  append_number(out, low(end - start, large), 4);
  append_number(out, low(start, large), 4);
  append_number(out, 0, 2);
  return out;
}

}  // namespace

Error ZipReader::damaged(const std::string& what) const {
  return input_error(file_.path(), fmt::format("found a damaged zip archive: {}", what));
}

Result<ZipReader> ZipReader::open(const std::string& path) {
  auto file = ByteFile::open(path);
  if (!file) return file.error();
  ZipReader reader(std::move(*file));
  const auto directory = reader.find_directory();
  if (!directory) return directory.error();
  if (auto read = reader.read_directory(*directory); !read) return read.error();
  return reader;
}

// The end record is the last one that, comment included, reaches exactly to the end of the file.
Result<ZipReader::Directory> ZipReader::find_directory() const {
  const std::uint64_t size = file_.size();
  const std::uint64_t tail_size = std::min<std::uint64_t>(size, kEndBytes + kLongestComment);
  const auto tail = file_.bytes(size - tail_size, tail_size);
  if (!tail) return tail.error();
  std::uint64_t end = size;
  for (std::size_t at = tail->size(); at-- > 0;) {
    if (tail->size() - at < kEndBytes || load_u32(tail->data() + at) != kEndMark) continue;
    if (at + kEndBytes + load_u16(tail->data() + at + 20) != tail->size()) continue;
    end = size - tail_size + at;
    break;
  }
  if (end == size) return input_error(file_.path(), "found no zip archive, expected an .npz file");
  const unsigned char* const record = tail->data() + (end - (size - tail_size));
  Directory directory{load_u32(record + 16), load_u32(record + 12), load_u16(record + 10)};
  if (end >= kLocatorBytes) {
    const auto locator = file_.bytes(end - kLocatorBytes, kLocatorBytes);
    if (!locator) return locator.error();
    if (load_u32(locator->data()) == kLocator64Mark) {
      const auto large = file_.bytes(load_u64(locator->data() + 8), kEnd64Bytes);
      if (!large || load_u32(large->data()) != kEnd64Mark) return damaged("no 64-bit end record");
      directory = {load_u64(large->data() + 48), load_u64(large->data() + 40), load_u64(large->data() + 32)};
    }
  }
  if (directory.offset > end || directory.size > end - directory.offset)
    return damaged("no central directory");
  if (directory.members > directory.size / kDirectoryBytes)
    return damaged("more members than the directory holds");
  return directory;
}

Result<> ZipReader::read_directory(const Directory& directory) {
  const auto bytes = file_.bytes(directory.offset, directory.size);
  if (!bytes) return bytes.error();
  const unsigned char* p = bytes->data();
  std::size_t left = bytes->size();
  for (std::uint64_t m = 0; m < directory.members; ++m) {
    if (left < kDirectoryBytes || load_u32(p) != kDirectoryMark) return damaged("the directory ends early");
    ZipMember member{.name = {},
                     .flags = load_u16(p + 8),
                     .method = load_u16(p + 10),
                     .crc = load_u32(p + 16),
                     .packed_size = load_u32(p + 20),
                     .size = load_u32(p + 24),
                     .offset = load_u32(p + 42)};
    const std::size_t name = load_u16(p + 28);
    const std::size_t extra = load_u16(p + 30);
    const std::size_t whole = kDirectoryBytes + name + extra + load_u16(p + 32);
    if (whole > left) return damaged("the directory ends early");
    member.name.assign(reinterpret_cast<const char*>(p) + kDirectoryBytes, name);
    if (!take_extra(p + kDirectoryBytes + name, extra, member)) return damaged("a 64-bit size is not there");
    members_.push_back(std::move(member));
    p += whole;
    left -= whole;
  }
  return Nothing{};
}

Result<std::uint64_t> ZipReader::data_offset(const ZipMember& member) const {
  const auto local = file_.bytes(member.offset, kLocalBytes);
  if (!local || load_u32(local->data()) != kLocalMark) {
    return damaged(fmt::format("member {} is not where the directory says", quoted(member.name)));
  }
  const std::uint64_t data =
      member.offset + kLocalBytes + load_u16(local->data() + 26) + load_u16(local->data() + 28);
  if (data > file_.size() || member.packed_size > file_.size() - data) {
    return damaged(fmt::format("member {} goes beyond the end of the file", quoted(member.name)));
  }
  return data;
}

Result<Bytes> ZipReader::read_start(const ZipMember& member, std::uint64_t limit) const {
  if ((member.flags & kEncrypted) != 0 || (member.method != kStored && member.method != kDeflated)) {
    return input_error(
        file_.path(),
        fmt::format("found member {} {}, expected it stored or deflated", quoted(member.name),
                    (member.flags & kEncrypted) != 0 ? std::string("encrypted")
                                                     : fmt::format("packed by method {}", member.method)));
  }
  const auto offset = data_offset(member);
  if (!offset) return offset.error();
  const std::uint64_t wanted = std::min(limit, member.size);
  if (member.method == kStored) {
    if (member.size != member.packed_size)
      return damaged(fmt::format("the sizes of member {} differ", quoted(member.name)));
    return file_.bytes(*offset, wanted);
  }
  if (member.size / kDeflateRatio > member.packed_size) {
    return damaged(fmt::format("member {} of {} bytes cannot hold {}", quoted(member.name),
                               member.packed_size, member.size));
  }
  auto out = inflate_bytes(file_, *offset, member.packed_size, wanted, Deflate::kRaw);
  if (!out) return out.error();
  if (out->size() != wanted) return damaged(fmt::format("member {} does not unpack", quoted(member.name)));
  return out;
}

Result<Bytes> ZipReader::read(const ZipMember& member) const {
  auto out = read_start(member, member.size);
  if (!out) return out;
  if (::crc32_z(0, out->data(), out->size()) != member.crc) {
    return damaged(fmt::format("the checksum of member {} is wrong", quoted(member.name)));
  }
  return out;
}

void ZipWriter::write(const Bytes& bytes) {
  out_.write(bytes.data(), bytes.size());
  position_ += bytes.size();
}

void ZipWriter::add(const std::string& name, const std::vector<const Bytes*>& pieces) {
  ZipMember member{.name = name, .method = kDeflated, .offset = position_};
  uLong crc = 0;
  for (const Bytes* piece : pieces) {
    crc = ::crc32_z(crc, piece->data(), piece->size());
    member.size += piece->size();
  }
  member.crc = static_cast<std::uint32_t>(crc);
  const Bytes packed = deflate_bytes(pieces, Deflate::kRaw);
  member.packed_size = packed.size();
  write(local_header(member, always_64_bit_ || std::max(member.size, member.packed_size) >= kIn64));
  write(packed);
  members_.push_back(std::move(member));
}

void ZipWriter::finish() {
  const std::uint64_t start = position_;
  for (const ZipMember& member : members_) {
    const bool large = always_64_bit_ || std::max({member.size, member.packed_size, member.offset}) >= kIn64;
    write(directory_entry(member, large));
  }
  write(end_records(start, position_, members_.size(), always_64_bit_ || position_ >= kIn64));
}

}  // namespace lacuna::io
