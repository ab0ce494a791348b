// SPDX-License-Identifier: MIT
// Binary files read by position.
#include "io/file/byte_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "base/system_text.hpp"

namespace lacuna::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;
constexpr std::size_t kLargestRead = std::size_t{1} << 30;  // one system call moves at most 2 GB

}  // namespace

struct ByteFile::State {
  std::string path;
  int file = -1;
  std::uint64_t size = 0;
  bool in_memory = false;
  Bytes memory;

  State() = default;
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { close(); }

  void close() {
    if (file >= 0) ::close(std::exchange(file, -1));
  }
  Result<> read_to_end();
};

Result<> ByteFile::State::read_to_end() {
  in_memory = true;
  for (;;) {
    const std::size_t used = memory.size();
    memory.resize(used + kBlock);
    const ssize_t got = ::read(file, memory.data() + used, kBlock);
    memory.resize(used + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
    if (got < 0 && errno != EINTR) return input_error(path, system_text(errno));
    if (got == 0) break;
  }
  size = memory.size();
  close();
  return Nothing{};
}

Result<ByteFile> ByteFile::open(const std::string& path) {
  auto state = std::make_unique<State>();
  state->path = path;
  state->file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat info {};
  if (state->file < 0 || ::fstat(state->file, &info) != 0) return input_error(path, system_text(errno));
  if (S_ISDIR(info.st_mode)) return input_error(path, system_text(EISDIR));
  if (S_ISREG(info.st_mode)) {
    state->size = static_cast<std::uint64_t>(info.st_size);
  } else if (auto read = state->read_to_end(); !read) {
    return read.error();
  }
  return ByteFile(std::move(state));
}

ByteFile::ByteFile(std::unique_ptr<State> state) : state_(std::move(state)) {}
ByteFile::ByteFile(ByteFile&&) noexcept = default;
ByteFile& ByteFile::operator=(ByteFile&&) noexcept = default;
ByteFile::~ByteFile() = default;

const std::string& ByteFile::path() const { return state_->path; }
std::uint64_t ByteFile::size() const { return state_->size; }

Result<> ByteFile::read(std::uint64_t offset, void* out, std::size_t count) const {
  const State& s = *state_;
  if (offset > s.size || count > s.size - offset) {
    return input_error(
        s.path, fmt::format("found the end of the file at byte {}, expected {} bytes from {} on", s.size,
                            count, offset));
  }
  auto* target = static_cast<unsigned char*>(out);
  if (s.in_memory) {
    std::copy_n(s.memory.begin() + static_cast<std::ptrdiff_t>(offset), count, target);
    return Nothing{};
  }
  while (count > 0) {
    const ssize_t got = ::pread(s.file, target, std::min(count, kLargestRead), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return input_error(s.path, system_text(errno));
    if (got == 0) return input_error(s.path, "the file became shorter while it was read");
    target += got;
    offset += static_cast<std::uint64_t>(got);
    count -= static_cast<std::size_t>(got);
  }
  return Nothing{};
}

Result<Bytes> ByteFile::bytes(std::uint64_t offset, std::uint64_t count) const {
  // Looked at before the memory is asked for: the numbers may come from a damaged file.
  if (offset > size() || count > size() - offset) {
    unsigned char none = 0;
    return read(offset, &none, static_cast<std::size_t>(count)).error();
  }
  Bytes out(static_cast<std::size_t>(count));
  if (auto done = read(offset, out.data(), out.size()); !done) return done.error();
  return out;
}

}  // namespace lacuna::io
