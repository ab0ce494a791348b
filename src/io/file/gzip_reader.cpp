// SPDX-License-Identifier: MIT
#include "io/file/gzip_reader.hpp"

#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <new>
#include <vector>

#include "io/file/system_text.hpp"

namespace lacuna::io {
namespace {

constexpr std::size_t kBlock = std::size_t{256} << 10;
constexpr int kGzipWindow = 15 + 16;  // the largest window, and a gzip header rather than zlib's

}  // namespace

struct GzipReader::State {
  int file = -1;
  std::vector<unsigned char> input;
  z_stream stream{};
  bool at_end = false;  // of the file
  bool between_members = false;
  std::string trouble;

  State() {
    if (::inflateInit2(&stream, kGzipWindow) != Z_OK) throw std::bad_alloc();
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;
  ~State() { ::inflateEnd(&stream); }

  void fill();
  bool start_member();
};

// Reads a block once all input is used up.
void GzipReader::State::fill() {
  input.resize(kBlock);
  ssize_t got = -1;
  do {
    got = ::read(file, input.data(), input.size());
  } while (got < 0 && errno == EINTR);
  if (got < 0) trouble = system_text(errno);
  if (got <= 0) at_end = true;
  stream.next_in = input.data();
  stream.avail_in = static_cast<uInt>(std::max<ssize_t>(got, 0));
}

// False at the end of the file. What comes must be another member; inflate() looks at its header.
bool GzipReader::State::start_member() {
  if (stream.avail_in == 0 && !at_end) fill();
  if (stream.avail_in == 0) return false;
  if (*stream.next_in != 0x1f) {
    trouble = "found bytes behind the gzip data that are no gzip data";
    return false;
  }
  ::inflateReset(&stream);
  between_members = false;
  return true;
}

GzipReader::GzipReader(int file, std::string_view start) : state_(std::make_unique<State>()) {
  state_->file = file;
  state_->input.assign(start.begin(), start.end());
  state_->stream.next_in = state_->input.data();
  state_->stream.avail_in = static_cast<uInt>(start.size());
}
GzipReader::GzipReader(GzipReader&&) noexcept = default;
GzipReader& GzipReader::operator=(GzipReader&&) noexcept = default;
GzipReader::~GzipReader() = default;

std::size_t GzipReader::read(char* into, std::size_t room) {
  State& s = *state_;
  const auto most = static_cast<uInt>(std::min<std::size_t>(room, std::numeric_limits<uInt>::max()));
  s.stream.next_out = reinterpret_cast<Bytef*>(into);
  s.stream.avail_out = most;
  while (s.stream.avail_out == most && s.trouble.empty()) {
    if (s.between_members && !s.start_member()) break;
    if (s.stream.avail_in == 0 && !s.at_end) s.fill();
    if (!s.trouble.empty()) break;
    const int status = ::inflate(&s.stream, Z_NO_FLUSH);
    if (status == Z_STREAM_END) {
      s.between_members = true;
    } else if (status == Z_MEM_ERROR) {
      throw std::bad_alloc();
    } else if (status != Z_OK && (status != Z_BUF_ERROR || s.at_end)) {
      s.trouble = "found gzip data that are damaged or cut short";
    }
  }
  return most - s.stream.avail_out;
}

const std::string& GzipReader::trouble() const { return state_->trouble; }

}  // namespace lacuna::io
