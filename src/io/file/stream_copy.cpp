// SPDX-License-Identifier: MIT
#include "io/file/stream_copy.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/machine.hpp"
#include "base/system_text.hpp"
#include "io/file/standard_streams.hpp"

namespace lacuna::io {
namespace {

constexpr std::size_t kBlock = std::size_t{1} << 16;

// A descriptor that is closed.
class Descriptor {
 public:
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

bool write_all(int file, const char* bytes, std::size_t count) {
  while (count > 0) {
    const ssize_t done = ::write(file, bytes, count);
    if (done < 0 && errno != EINTR) return false;
    if (done <= 0) continue;
    bytes += done;
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

void replace_all(std::string& text, const std::string& old, const std::string& with) {
  for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old, at + with.size()))
    text.replace(at, old.size(), with);
}

}  // namespace

bool is_stream(const std::string& path) {
  struct stat info {};
  if (is_standard_stream(path)) return true;
  return ::stat(path.c_str(), &info) == 0 && (S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode));
}

Result<StreamCopy> StreamCopy::take(const std::string& path) {
  const bool standard = is_standard_stream(path);
  const Descriptor stream(standard ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
                                   : ::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (stream.number() < 0) return input_error(standard ? kStandardInput : path, system_text(errno));
  StreamCopy copy(::memfd_create("lacuna-input", MFD_CLOEXEC), standard ? kStandardInput : path);
  if (copy.file_ < 0) return input_error(path, system_text(errno));
  const MemoryLimit limit = memory_limit();
  std::vector<char> block(kBlock);
  double total = 0.0;
  for (;;) {
    const ssize_t got = ::read(stream.number(), block.data(), block.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return input_error(copy.stream_, system_text(errno));
    if (got == 0) return copy;
    total += static_cast<double>(got);
    if (total > limit.bytes)
      return Error{
          ErrorKind::kMemory, copy.stream_,
          fmt::format("found a pipe with more than {:.3g} GB in it, which is what {}, expected less: a pipe "
                      "is kept in memory",
                      limit.bytes / 1e9, limit.from)};
    if (!write_all(copy.file_, block.data(), static_cast<std::size_t>(got)))
      return Error{
          ErrorKind::kMemory, copy.stream_,
          fmt::format("what comes out of the pipe cannot be kept in memory: {}", system_text(errno))};
  }
}

StreamCopy::StreamCopy(int file, std::string stream)
    : file_(file), stream_(std::move(stream)), path_(fmt::format("/proc/{}/fd/{}", getpid(), file)) {}

StreamCopy::StreamCopy(StreamCopy&& other) noexcept
    : file_(std::exchange(other.file_, -1)),
      stream_(std::move(other.stream_)),
      path_(std::move(other.path_)) {}

StreamCopy::~StreamCopy() {
  if (file_ >= 0) ::close(file_);
}

Error StreamCopy::of_stream(Error error) const {
  replace_all(error.where, path_, stream_);
  replace_all(error.what, path_, stream_);
  return error;
}

}  // namespace lacuna::io
