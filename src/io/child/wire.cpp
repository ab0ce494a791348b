// SPDX-License-Identifier: MIT
#include "io/child/wire.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <bit>
#include <cerrno>
#include <cstring>
#include <string_view>

#include "io/file/header_fields.hpp"

namespace lacuna::io {
namespace {

static_assert(std::endian::native == std::endian::little,
              "both sides would have to turn their numbers round");

constexpr std::string_view kBegin = "lacuna>1";
constexpr std::string_view kEnd = "complete";
constexpr std::size_t kMostArrays = 256;

}  // namespace

bool WireWriter::put(const void* data, std::size_t bytes) {
  const char* p = static_cast<const char*>(data);
  while (fine_ && bytes > 0) {
    const ssize_t put =
        kind_ == Kind::kSocket ? ::send(descriptor_, p, bytes, MSG_NOSIGNAL) : ::write(descriptor_, p, bytes);
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) {
      fine_ = false;
      break;
    }
    p += put;
    bytes -= static_cast<std::size_t>(put);
  }
  return fine_;
}

bool WireWriter::header(nlohmann::json header, const std::vector<std::uint64_t>& arrays) {
  begun_ = true;
  header["arrays"] = arrays;
  const std::string text = header.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const std::uint64_t length = text.size();
  return put(kBegin.data(), kBegin.size()) && put(&length, sizeof length) && put(text.data(), text.size());
}

bool WireWriter::numbers(std::span<const double> numbers) {
  return put(numbers.data(), numbers.size_bytes());
}

bool WireWriter::complete() { return put(kEnd.data(), kEnd.size()); }

bool WireReader::get(void* out, std::size_t bytes) {
  char* p = static_cast<char*>(out);
  while (bytes > 0) {
    const ssize_t got = ::read(descriptor_, p, bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return fail(Failure::kSilence);
    if (got <= 0) return fail(Failure::kEnded);
    p += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

bool WireReader::header(nlohmann::json& out) {
  std::array<char, 8> begin{};
  std::uint64_t length = 0;
  if (!get(begin.data(), begin.size())) return false;
  if (std::string_view(begin.data(), begin.size()) != kBegin) return fail(Failure::kDamaged);
  if (!get(&length, sizeof length)) return false;
  if (length > kMostHeader) return fail(Failure::kDamaged);
  std::string text(length, '\0');
  if (!get(text.data(), text.size())) return false;
  out = parse_bounded_json(text);
  if (!out.is_object() || !out.contains("arrays") || !out["arrays"].is_array() ||
      out["arrays"].size() > kMostArrays)
    return fail(Failure::kDamaged);
  for (const nlohmann::json& size : out["arrays"]) {
    if (!size.is_number_unsigned()) return fail(Failure::kDamaged);
    arrays_.push_back(size.get<std::uint64_t>());
  }
  return true;
}

bool WireReader::numbers(std::span<double> out) { return get(out.data(), out.size_bytes()); }

bool WireReader::complete() {
  std::array<char, 8> end{};
  if (!get(end.data(), end.size())) return false;
  return std::string_view(end.data(), end.size()) == kEnd || fail(Failure::kDamaged);
}

}  // namespace lacuna::io
