// SPDX-License-Identifier: MIT
#include "given_file.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/system_text.hpp"
#include "io/child/formats_process.hpp"

namespace lacuna::formats {

bool fits_in_memory(const ArrayToWrite& array) {
  return array.value.size() * sizeof(double) <= io::FormatsProcess::kMostInMemory;
}

GivenFile::GivenFile(const std::string& path) : file_(::open(path.c_str(), O_WRONLY | O_CLOEXEC)) {}

GivenFile::~GivenFile() {
  if (file_ >= 0) ::close(file_);
}

Result<> GivenFile::store(const void* data, std::size_t bytes) const {
  const char* next = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t written = ::write(file_, next, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return output_error("", system_text(errno));
    next += written;
    bytes -= static_cast<std::size_t>(written);
  }
  return Nothing{};
}

std::string system_reason() {
  switch (errno) {
    case EFBIG:
    case ENOSPC:
    case EDQUOT:
    case EIO:
    case EROFS:
      return ": " + system_text(errno);
    default:
      return "";
  }
}

}  // namespace lacuna::formats
