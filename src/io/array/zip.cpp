// SPDX-License-Identifier: MIT
#include "io/array/zip.hpp"

#include <fmt/format.h>
#include <zip.h>

#include <algorithm>
#include <filesystem>
#include <new>

#include "io/file/inflate.hpp"
#include "io/text/number.hpp"

namespace lacuna::io {
namespace {

constexpr zip_uint32_t kLevel = 4;          // as inflate.cpp: half the time of the default, 3 % larger
constexpr zip_uint16_t kFirstDay = 0x0021;  // 1980-01-01: equal content makes equal files
constexpr std::size_t kBlock = std::size_t{1} << 16;

struct CloseMember {
  void operator()(zip_file_t* file) const { zip_fclose(file); }
};
using MemberFile = std::unique_ptr<zip_file_t, CloseMember>;

struct ErrorText {
  zip_error_t error{};
  ErrorText() { zip_error_init(&error); }
  ErrorText(const ErrorText&) = delete;
  ErrorText& operator=(const ErrorText&) = delete;
  ~ErrorText() { zip_error_fini(&error); }
  [[nodiscard]] std::string text() { return zip_error_strerror(&error); }
};

}  // namespace

void ZipReader::Discard::operator()(zip* archive) const { zip_discard(archive); }

Error ZipReader::damaged(const std::string& what) const {
  return input_error(file_.path(), fmt::format("found a damaged zip archive: {}", what));
}

Result<ZipReader> ZipReader::open(const std::string& path) {
  auto file = ByteFile::open(path);
  if (!file) return file.error();
  ZipReader reader(std::move(*file));
  if (auto opened = reader.open_archive(); !opened) return opened.error();
  if (auto listed = reader.list_members(); !listed) return listed.error();
  return reader;
}

Result<> ZipReader::open_archive() {
  if (file_.size() == 0)  // an empty archive to libzip
    return input_error(file_.path(), "found no zip archive, expected an .npz file");
  ErrorText error;
  zip_source_t* source = nullptr;
  std::error_code ignored;
  if (std::filesystem::is_regular_file(file_.path(), ignored)) {
    source = zip_source_file_create(file_.path().c_str(), 0, -1, &error.error);
  } else {
    auto bytes = file_.bytes(0, file_.size());
    if (!bytes) return bytes.error();
    memory_ = std::move(*bytes);
    source = zip_source_buffer_create(memory_.data(), memory_.size(), 0, &error.error);
  }
  if (source == nullptr) throw std::bad_alloc();
  archive_.reset(zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, &error.error));
  if (archive_) return Nothing{};
  zip_source_free(source);
  if (zip_error_code_zip(&error.error) == ZIP_ER_MEMORY) throw std::bad_alloc();
  if (zip_error_code_zip(&error.error) == ZIP_ER_NOZIP)
    return input_error(file_.path(), "found no zip archive, expected an .npz file");
  return damaged(error.text());
}

Result<> ZipReader::list_members() {
  const zip_int64_t count = zip_get_num_entries(archive_.get(), 0);
  for (zip_int64_t number = 0; number < count; ++number) {
    zip_stat_t stat{};
    constexpr zip_uint64_t kNeeded = ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE |
                                     ZIP_STAT_COMP_METHOD | ZIP_STAT_ENCRYPTION_METHOD;
    if (zip_stat_index(archive_.get(), static_cast<zip_uint64_t>(number), ZIP_FL_ENC_RAW, &stat) != 0 ||
        (stat.valid & kNeeded) != kNeeded) {
      return damaged(fmt::format("member {} has no sizes", number + 1));
    }
    members_.push_back({.name = stat.name,
                        .number = stat.index,
                        .size = stat.size,
                        .packed_size = stat.comp_size,
                        .method = stat.comp_method,
                        .encrypted = stat.encryption_method != ZIP_EM_NONE});
  }
  return Nothing{};
}

Result<> ZipReader::check(const ZipMember& member) const {
  if (member.encrypted || (member.method != ZIP_CM_STORE && member.method != ZIP_CM_DEFLATE)) {
    const std::string how =
        member.encrypted ? std::string("encrypted") : fmt::format("packed by method {}", member.method);
    return input_error(file_.path(), fmt::format("found member {} {}, expected it stored or deflated",
                                                 io::quoted(member.name), how));
  }
  if (member.packed_size > file_.size())
    return damaged(fmt::format("member {} goes beyond the end of the file", io::quoted(member.name)));
  const std::uint64_t ratio = member.method == ZIP_CM_STORE ? 1 : kDeflateRatio;
  if (member.size / ratio > member.packed_size) {
    return damaged(fmt::format("member {} of {} bytes cannot hold {}", io::quoted(member.name),
                               member.packed_size, member.size));
  }
  return Nothing{};
}

Result<Bytes> ZipReader::read_start(const ZipMember& member, std::uint64_t limit) const {
  if (auto fine = check(member); !fine) return fine.error();
  const auto refuse = [&](const char* why) {
    return damaged(fmt::format("member {}: {}", io::quoted(member.name), why));
  };
  const MemberFile file(zip_fopen_index(archive_.get(), member.number, 0));
  if (!file) return refuse(zip_strerror(archive_.get()));
  const bool whole = limit >= member.size;
  Bytes out(static_cast<std::size_t>(std::min(limit, member.size)));
  for (std::size_t done = 0; done < out.size();) {
    const zip_int64_t got = zip_fread(file.get(), out.data() + done, out.size() - done);
    if (got <= 0) return refuse(got < 0 ? zip_file_strerror(file.get()) : "it ends early");
    done += static_cast<std::size_t>(got);
  }
  // The checksum is looked at when the end is.
  unsigned char more = 0;
  if (whole) {
    const zip_int64_t got = zip_fread(file.get(), &more, 1);
    if (got != 0) return refuse(got < 0 ? zip_file_strerror(file.get()) : "it is longer than it says");
  }
  return out;
}

Result<Bytes> ZipReader::read(const ZipMember& member) const { return read_start(member, member.size); }

ZipWriter::ZipWriter() {
  ErrorText error;
  memory_ = zip_source_buffer_create(nullptr, 0, 0, &error.error);
  if (memory_ == nullptr) throw std::bad_alloc();
  zip_source_keep(memory_);  // closing the archive gives up one hold on it
  archive_ = zip_open_from_source(memory_, ZIP_TRUNCATE, &error.error);
  if (archive_ == nullptr) trouble_ = error.text();
}

ZipWriter::~ZipWriter() {
  if (archive_ != nullptr) zip_discard(archive_);
  zip_source_free(memory_);
}

void ZipWriter::fail(zip* archive) {
  if (trouble_.empty()) trouble_ = zip_strerror(archive);
}

void ZipWriter::add(const std::string& name, Bytes content) {
  if (!trouble_.empty()) return;
  const Bytes& kept = *contents_.emplace_back(std::make_unique<Bytes>(std::move(content)));
  zip_source_t* const source = zip_source_buffer(archive_, kept.data(), kept.size(), 0);
  if (source == nullptr) return fail(archive_);
  const zip_int64_t number = zip_file_add(archive_, name.c_str(), source, ZIP_FL_ENC_UTF_8);
  if (number < 0) {
    zip_source_free(source);
    return fail(archive_);
  }
  const auto index = static_cast<zip_uint64_t>(number);
  if (zip_set_file_compression(archive_, index, ZIP_CM_DEFLATE, kLevel) != 0 ||
      zip_file_set_dostime(archive_, index, 0, kFirstDay, 0) != 0)
    fail(archive_);
}

bool ZipWriter::finish(AtomicFile& out) {
  if (!trouble_.empty()) return false;
  if (zip_close(archive_) != 0) {
    fail(archive_);
    return false;
  }
  archive_ = nullptr;
  if (zip_source_open(memory_) != 0) {
    trouble_ = zip_error_strerror(zip_source_error(memory_));
    return false;
  }
  Bytes block(kBlock);
  zip_int64_t got = 0;
  while ((got = zip_source_read(memory_, block.data(), block.size())) > 0)
    out.write(block.data(), static_cast<std::size_t>(got));
  if (got < 0) trouble_ = zip_error_strerror(zip_source_error(memory_));
  zip_source_close(memory_);
  return got == 0;
}

}  // namespace lacuna::io
